package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Collectors;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.BladeSetGrowth;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Puts OSDs into a BladeSet. */
@Command(
    name = "grow",
    description =
        "Puts OSDs that hold nothing into a BladeSet, and waits for that. Nothing new is put on them until"
            + " the managers of the BladeSet that they leave have said that no file is on them. One that holds"
            + " something is refused: drain it first.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bladeset grow fast osd-7 osd-8 osd-9     they have joined just now",
      "  weft osd drain osd-3                          one that is in use: empty it",
      "  weft bladeset grow fast osd-3                 goes over as soon as it is empty",
      "",
      "A growth that is interrupted goes on by itself; `weft bladeset list` shows it, and",
      "`weft osd drain --undo` calls it off."
    })
@JsonFields(
    shape = "one object",
    value = {
      "bladeSet: its name",
      "osds: an array of the numbers of the OSDs that it was asked for"
    })
final class BladeSetGrowCommand extends BladeSetAction {
  @Parameters(index = "0", paramLabel = "NAME", description = "The BladeSet.")
  private String name;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "OSD",
      description = "OSDs, like osd-7 or 7.")
  private List<String> osds;

  @Override
  protected void check() {
    osds.forEach(this::number);
  }

  private int number(String osd) {
    return number(NodeName.OSD, osd);
  }

  @Override
  protected void run(AdminView admin) {
    List<Integer> numbers = osds.stream().map(this::number).distinct().toList();
    ObjectNode done = JsonNodeFactory.instance.objectNode().put("bladeSet", name);
    ArrayNode all = done.putArray("osds");
    numbers.forEach(all::add);
    String named = numbers.stream().map(id -> "osd-" + id).collect(Collectors.joining(", "));
    change(
        admin,
        wanted(name).setGrow(BladeSetGrowth.newBuilder().addAllOsdId(numbers)),
        done,
        "BladeSet " + name + " has " + named + ".");
  }
}
