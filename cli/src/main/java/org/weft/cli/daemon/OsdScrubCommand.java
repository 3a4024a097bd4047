package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.List;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.JoinTokenOption;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.wire.ScrubNowReply;
import org.weft.protocol.wire.ScrubNowRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
public final class OsdScrubCommand extends AdminCommand {
  private static final int CALL_MILLIS = 10_000;

  @Mixin private JoinTokenOption joinToken = new JoinTokenOption();

  @Parameters(paramLabel = "OSD", description = "The OSD, like osd-3 or 3.")
  private String osd;

  @Option(names = "--now", description = "Read all that it stores at once, without its rests.")
  private boolean now;

  private byte[] token;

  public OsdScrubCommand() {
    super("scrub");
  }

  private int number() {
    return number(NodeName.OSD, osd);
  }

  @Override
  protected void check() throws IOException {
    number();
    token = joinToken.read();
  }

  @Override
  protected void run(AdminView admin) throws IOException {
    int id = number();
    RpcRequest request =
        RpcRequest.signed(
            Opcode.SCRUB_NOW,
            ScrubNowRequest.newBuilder().setBegin(now).build(),
            CALL_MILLIS,
            JoinSecret.of(token));
    List<Endpoint> addresses = admin.view().addressesOf(new OsdId(id));
    if (addresses.isEmpty()) {
      throw new CommandFailure("the cluster has no osd-" + id + "; `weft status` shows its OSDs");
    }
    say(
        id,
        OneCall.await(
                admin.environment().transport(), addresses.get(0), "scrub", CALL_MILLIS, request)
            .parse(ScrubNowReply.parser()));
  }

  private void say(int id, ScrubNowReply reply) {
    say(
        JsonNodeFactory.instance
            .objectNode()
            .put("osdId", id)
            .put("underWay", reply.getUnderWay())
            .put("passes", reply.getPasses())
            .put("bytes", reply.getBytes())
            .put("badBlocks", reply.getBadBlocks()),
        String.format(
            "osd-%d has read %d bytes in %d whole passes since its start; %d blocks are bad now.%s",
            id,
            reply.getBytes(),
            reply.getPasses(),
            reply.getBadBlocks(),
            reply.getUnderWay() ? " It is reading all that it stores now." : ""));
  }
}
