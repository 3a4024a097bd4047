package org.weft.osd.scrub;

import com.google.protobuf.InvalidProtocolBufferException;
import org.weft.osd.command.request.SignedDesk;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.ScrubNowReply;
import org.weft.protocol.wire.ScrubNowRequest;

/** Answers SCRUB_NOW, from memory, and hands every other request on. Thread-safe. */
public final class ScrubDesk extends SignedDesk {
  private final Scrubber scrubber;

  /**
   * @param commands answers everything else
   */
  public ScrubDesk(RpcService commands, Scrubber scrubber, byte[] joinSecret) {
    super(commands, Opcode.SCRUB_NOW, joinSecret);
    this.scrubber = scrubber;
  }

  @Override
  protected void answer(InboundRequest request) {
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
}
