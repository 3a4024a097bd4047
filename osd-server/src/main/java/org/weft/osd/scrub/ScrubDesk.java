package org.weft.osd.scrub;

import com.google.protobuf.InvalidProtocolBufferException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.ScrubNowReply;
import org.weft.protocol.wire.ScrubNowRequest;

/** Answers SCRUB_NOW, from memory, and hands every other request on. Thread-safe. */
public final class ScrubDesk implements RpcService {
  private final RpcService commands;
  private final Scrubber scrubber;
  private final byte[] joinSecret;

  /**
   * @param commands answers everything else
   */
  public ScrubDesk(RpcService commands, Scrubber scrubber, byte[] joinSecret) {
    this.commands = commands;
    this.scrubber = scrubber;
    this.joinSecret = joinSecret.clone();
  }

  @Override
  public void handle(InboundRequest request) {
    if (request.opcodeNumber() != Opcode.SCRUB_NOW.number()) {
      commands.handle(request);
    } else if (!request.signedWith(joinSecret)) {
      request.fail(
          ErrorCode.UNAUTHENTICATED,
          "SCRUB_NOW must be signed with the secret made from the join token");
    } else {
      answer(request);
    }
  }

  private void answer(InboundRequest request) {
    try {
      if (ScrubNowRequest.parseFrom(request.body()).getBegin()) {
        scrubber.hurry();
      }
    } catch (InvalidProtocolBufferException e) {
      request.fail(ErrorCode.MALFORMED, "SCRUB_NOW cannot be read: " + e.getMessage());
      return;
    }
    ScrubPasses passes = scrubber.passes();
    ScrubFigures figures = scrubber.figures();
    request.reply(
        ScrubNowReply.newBuilder()
            .setPasses(passes.ended())
            .setUnderWay(passes.hurried())
            .setBytes(figures.bytes())
            .setBadBlocks(figures.badBlocks())
            .build());
  }

  @Override
  public void connected(RpcPeer peer) {
    commands.connected(peer);
  }

  @Override
  public void disconnected(RpcPeer peer) {
    commands.disconnected(peer);
  }
}
