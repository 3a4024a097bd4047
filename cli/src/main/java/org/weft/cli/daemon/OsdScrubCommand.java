package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.config.ConfigException;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.wire.ScrubNowReply;
import org.weft.protocol.wire.ScrubNowRequest;
import org.weft.sysmgr.storage.JoinTokenFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft osd scrub}. */
@Command(
    name = "scrub",
    description =
        "Tells what an OSD has found by reading all that it stores, which it does once in"
            + " `osd.scrub-days`. With --now it reads all at once, behind clients. Bad blocks are"
            + " written anew by the managers of their volumes, from other OSDs.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft osd scrub osd-3 --join-token-file join-token           what was found so far",
      "  weft osd scrub osd-3 --now --join-token-file join-token     look again, from the beginning",
      "",
      "`weft status` shows how far the repair is, `weft volume damage` what cannot be repaired."
    })
@JsonFields(
    shape = "one object",
    value = {
      "osdId: its number",
      "underWay: a pass that was asked for goes on",
      "passes: whole passes since the start of the OSD",
      "bytes: read since then",
      "badBlocks: of 4 KiB, that are bad now"
    })
public final class OsdScrubCommand implements Callable<Integer> {
  private static final String TOKEN_VARIABLE = "WEFT_JOIN_TOKEN_FILE";
  private static final int CALL_MILLIS = 10_000;

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "OSD", description = "The OSD, like osd-3 or 3.")
  private String osd;

  @Option(names = "--now", description = "Read all that it stores at once, without its rests.")
  private boolean now;

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description = "The cluster's join token, SysMgr's file join-token; or WEFT_JOIN_TOKEN_FILE.")
  private Path tokenFile;

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
                        spec.commandLine(), "weft: osd scrub: " + OsdName.fault(osd)));
    RpcRequest request =
        RpcRequest.signed(
            Opcode.SCRUB_NOW,
            ScrubNowRequest.newBuilder().setBegin(now).build(),
            CALL_MILLIS,
            JoinSecret.of(token()));
    try (AdminView admin = AdminView.open(cluster, "scrub")) {
      List<Endpoint> addresses = admin.view().addressesOf(new OsdId(id));
      if (addresses.isEmpty()) {
        throw new CommandFailure("the cluster has no osd-" + id + "; `weft status` shows its OSDs");
      }
      say(
          id,
          OneCall.await(
                  admin.environment().transport(), addresses.get(0), "scrub", CALL_MILLIS, request)
              .parse(ScrubNowReply.parser()));
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
    return 0;
  }

  private byte[] token() throws IOException {
    String variable = System.getenv(TOKEN_VARIABLE);
    Path file = tokenFile != null ? tokenFile : variable == null ? null : Path.of(variable);
    if (file == null || !Files.exists(file)) {
      throw new ConfigException(
          (file == null ? "the join token is needed" : "there is no file " + file)
              + ": name SysMgr's file join-token with --join-token-file or "
              + TOKEN_VARIABLE);
    }
    return JoinTokenFile.read(file);
  }

  private void say(int id, ScrubNowReply reply) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.line(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("osdId", id)
                  .put("underWay", reply.getUnderWay())
                  .put("passes", reply.getPasses())
                  .put("bytes", reply.getBytes())
                  .put("badBlocks", reply.getBadBlocks())));
    } else {
      out.printf(
          "osd-%d has read %d bytes in %d whole passes since its start; %d blocks are bad now.%s%n",
          id,
          reply.getBytes(),
          reply.getPasses(),
          reply.getBadBlocks(),
          reply.getUnderWay() ? " It is reading all that it stores now." : "");
    }
    out.flush();
  }
}
