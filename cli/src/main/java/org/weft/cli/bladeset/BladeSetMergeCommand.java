package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Merges a BladeSet into another one. */
@Command(
    name = "merge",
    description =
        "Puts all OSDs and volumes of a BladeSet into another one, at once and while they are used. What is"
            + " stored stays where it is; new files of all these volumes use all these OSDs. It cannot be"
            + " undone.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset merge fast default     fast is gone, default has what it had",
      "",
      "OSDs whose weft.conf still says `osd.bladeset=fast` join default from then on."
    })
@JsonFields(
    shape = "one object",
    value = {"merged: name of the BladeSet that is gone", "into: that has it all"})
final class BladeSetMergeCommand extends BladeSetAction {
  @Parameters(index = "0", paramLabel = "FROM", description = "The BladeSet that goes.")
  private String from;

  @Parameters(index = "1", paramLabel = "INTO", description = "The BladeSet that stays.")
  private String into;

  @Override
  protected void run(AdminView admin) {
    change(
        admin,
        wanted(from).setMergeInto(into),
        JsonNodeFactory.instance.objectNode().put("merged", from).put("into", into),
        "BladeSet " + into + " has all OSDs and volumes of " + from + ", which is gone.");
  }
}
