package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Deletes a BladeSet. */
@Command(
    name = "delete",
    description = "Deletes a BladeSet that has neither OSDs nor volumes.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset grow default osd-7     its last OSD goes elsewhere",
      "  weft bladeset delete fast",
      "",
      "BladeSet `default` stays."
    })
@JsonFields(
    shape = "one object",
    value = {"deleted: its name"})
final class BladeSetDeleteCommand extends BladeSetAction {
  @Parameters(paramLabel = "NAME", description = "The BladeSet.")
  private String name;

  @Override
  protected void run(AdminView admin) {
    change(
        admin,
        wanted(name).setDelete(true),
        JsonNodeFactory.instance.objectNode().put("deleted", name),
        "BladeSet " + name + " is gone.");
  }
}
