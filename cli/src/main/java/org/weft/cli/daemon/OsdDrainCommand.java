package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.DrainOsdRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft osd drain}. */
@Command(
    name = "drain",
    description =
        "Has what an OSD holds copied to others while it is used, so that no file has less redundancy at any time."
            + " Nothing new is put on it. It goes on by itself, also after failures; files that are being written"
            + " move once they are closed. When nothing is left, stop the OSD and `weft osd remove` it.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft osd drain osd-3            before its disk or its host is taken away",
      "  weft osd drain --undo osd-3     it takes files again, and keeps what it still has",
      "",
      "`weft status` shows how far it is."
    })
@JsonFields(
    shape = "one object",
    value = {"osdId: its number", "draining: true; false with --undo"})
public final class OsdDrainCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "OSD", description = "The OSD, like osd-3 or 3.")
  private String osd;

  @Option(
      names = "--undo",
      description =
          "Lets it take new files again. What has not moved yet stays; the rest does not return.")
  private boolean undo;

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  @Override
  public Integer call() throws IOException {
    int id =
        OsdName.parse(osd)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "weft: osd drain: " + OsdName.fault(osd)));
    try (AdminView admin = AdminView.open(cluster, "drain")) {
      var unused =
          admin
              .placement()
              .drainOsd(
                  DrainOsdRequest.newBuilder()
                      .setUser(cluster.userName())
                      .addAllGroups(cluster.groups())
                      .setOsdId(id)
                      .setUndrain(undo)
                      .build())
              .join();
    } catch (CompletionException e) {
      throw RpcException.of(e);
    }
    say(id);
    return 0;
  }

  private void say(int id) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.line(JsonNodeFactory.instance.objectNode().put("osdId", id).put("draining", !undo)));
    } else {
      out.println(
          undo
              ? "osd-" + id + " takes new files again, and keeps what it has."
              : "osd-" + id + " is being drained; `weft status` shows how far that is.");
    }
    out.flush();
  }
}
