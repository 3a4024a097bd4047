package org.weft.cli.bladeset;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.ClusterTable;
import picocli.CommandLine.Command;

/** Lists the BladeSets. */
@Command(
    name = "list",
    description = "Lists the BladeSets with what is in them and how new files lie in them.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft bladeset list", "  weft bladeset list --json"})
@JsonFields(
    shape = "one object",
    value = {
      "bladeSets: an array, in the order of their names",
      "bladeSets.name: its name",
      "bladeSets.osds: how many OSDs are in it, those that are down among them",
      "bladeSets.osdsUp: of these, up and not drained",
      "bladeSets.hosts: on how many hosts these are",
      "bladeSets.racks: in how many racks; those that say none count as one",
      "bladeSets.usedBytes: of all its OSDs",
      "bladeSets.capacityBytes: of all its OSDs",
      "bladeSets.volumes: an array of the paths of its volumes",
      "bladeSets.coming: an array of the numbers of OSDs that come into it once they hold nothing",
      "bladeSets.dataUnits: of a new file that says nothing; 0: none can be made now",
      "bladeSets.parityUnits: of that file",
      "bladeSets.domainWanted: auto, osd, host or rack",
      "bladeSets.domain: what the components of that file do not share: osd, host or rack",
      "bladeSets.spares: how many of these domains such a group leaves out"
    })
final class BladeSetListCommand extends BladeSetAction {
  private static final String ROW = "%-16s %9s %6s %6s %24s %8s %-12s %7s  %s%n";

  @Override
  protected void run(AdminView admin) {
    ClusterTable table = admin.view().status().join().getTable();
    List<BladeSetSummary> sets = BladeSetSummary.all(table);
    if (json()) {
      out().println(Json.line(json(sets)));
      return;
    }
    out()
        .printf(
            ROW, "Name", "OSDs up", "Hosts", "Racks", "Used", "Widest", "Domain", "Spares",
            "Volumes");
    for (BladeSetSummary set : sets) {
      out()
          .printf(
              ROW,
              PrintableText.of(set.name()),
              set.up().osds() + "/" + set.osds(),
              set.up().hosts(),
              set.up().racks(),
              ByteText.of(set.usedBytes()) + " of " + ByteText.of(set.capacityBytes()),
              set.width() == 0 ? "-" : set.dataUnits() + "+" + set.parityUnits(),
              set.width() == 0
                  ? set.wish().word()
                  : set.domain().word() + " (" + set.wish().word() + ")",
              set.width() == 0 ? "-" : set.spares(),
              set.volumes().isEmpty() ? "-" : PrintableText.of(String.join(" ", set.volumes())));
    }
    for (BladeSetSummary set : sets) {
      for (int osd : set.coming()) {
        out()
            .println(
                "osd-"
                    + osd
                    + " comes into "
                    + PrintableText.of(set.name())
                    + " as soon as no file is on it.");
      }
    }
  }

  private static ObjectNode json(List<BladeSetSummary> sets) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    ArrayNode rows = all.putArray("bladeSets");
    for (BladeSetSummary set : sets) {
      ObjectNode row =
          rows.addObject()
              .put("name", set.name())
              .put("osds", set.osds())
              .put("osdsUp", set.up().osds())
              .put("hosts", set.up().hosts())
              .put("racks", set.up().racks())
              .put("usedBytes", set.usedBytes())
              .put("capacityBytes", set.capacityBytes());
      ArrayNode volumes = row.putArray("volumes");
      set.volumes().forEach(volumes::add);
      ArrayNode coming = row.putArray("coming");
      set.coming().forEach(coming::add);
      row.put("dataUnits", set.dataUnits())
          .put("parityUnits", set.parityUnits())
          .put("domainWanted", set.wish().word())
          .put("domain", set.domain().word())
          .put("spares", set.spares());
    }
    return all;
  }
}
