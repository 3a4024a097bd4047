package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.DrainOsdRequest;
import org.weft.protocol.wire.OsdRow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft osd drain}. */
@Command(
    name = "drain",
    description =
        "Has what OSDs hold copied to others while they are used, so that no file has less redundancy at any time."
            + " Nothing new is put on them. It goes on by itself, also after failures; files that are being written"
            + " move once they are closed. When nothing is left, stop the OSDs and `weft osd remove` them. If one of"
            + " several is refused, those before it are drained all the same: --undo calls that off.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft osd drain osd-3            before its disk is taken away",
      "  weft osd drain osd-3 osd-4      two of them",
      "  weft osd drain --host node2     before a host is taken away",
      "  weft osd drain --undo osd-3     it takes files again, and keeps what it still has",
      "",
      "`weft status` shows how far it is."
    })
@JsonFields(
    shape = "an object for each OSD",
    value = {"osdId: its number", "draining: true; false with --undo"})
public final class OsdDrainCommand extends AdminCommand {
  @Parameters(arity = "0..*", paramLabel = "OSD", description = "OSDs, like osd-3 or 3.")
  private List<String> osds = List.of();

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description =
          "Instead of OSDs: all of this host that are not removed, as `weft status` names it.")
  private String host;

  @Option(
      names = "--undo",
      description =
          "Lets them take new files again. What has not moved yet stays; the rest does not return.")
  private boolean undo;

  public OsdDrainCommand() {
    super("drain");
  }

  @Override
  protected void check() {
    if (named().isEmpty() == (host == null)) {
      throw wrong("name OSDs, like osd-3, or a host with --host");
    }
  }

  private SortedSet<Integer> named() {
    SortedSet<Integer> named = new TreeSet<>();
    osds.forEach(osd -> named.add(number(osd)));
    return named;
  }

  @Override
  protected void run(AdminView admin) {
    SortedSet<Integer> wanted = host == null ? named() : onHost(admin.view().table());
    for (int osd : wanted) {
      var unused =
          admin
              .placement()
              .drainOsd(
                  DrainOsdRequest.newBuilder()
                      .setUser(cluster().userName())
                      .addAllGroups(cluster().groups())
                      .setOsdId(osd)
                      .setUndrain(undo)
                      .build())
              .join();
      say(osd);
      out().flush();
    }
  }

  private int number(String osd) {
    return number(NodeName.OSD, osd);
  }

  private SortedSet<Integer> onHost(ClusterTable table) {
    List<OsdRow> rows = table.getOsdsList().stream().filter(row -> !row.getRemoved()).toList();
    SortedSet<Integer> there =
        rows.stream()
            .filter(row -> row.getHost().equals(host))
            .map(OsdRow::getOsdId)
            .collect(Collectors.toCollection(TreeSet::new));
    if (there.isEmpty()) {
      String hosts =
          rows.stream().map(OsdRow::getHost).distinct().sorted().collect(Collectors.joining(", "));
      throw wrong("no OSD is on host '" + host + "'; hosts with OSDs: " + hosts);
    }
    return there;
  }

  private void say(int id) {
    say(
        JsonNodeFactory.instance.objectNode().put("osdId", id).put("draining", !undo),
        undo
            ? "osd-" + id + " takes new files again, and keeps what it has."
            : "osd-" + id + " is being drained; `weft status` shows how far that is.");
  }
}
