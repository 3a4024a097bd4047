package org.weft.osd.command;

import com.google.protobuf.Parser;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RequestBody;
import org.weft.protocol.wire.BatchItem;

/**
 * An item of a BATCH: it carries its own capability, and its MAC binds its place in the frame (P
 * 5.7).
 */
record ItemCommand(Opcode opcode, InboundRequest frame, int index, BatchItem item)
    implements ReceivedCommand {
  @Override
  public <T> T parse(Parser<T> parser) throws WeftException {
    return RequestBody.parse(parser, item.getBody().asReadOnlyByteBuffer(), opcode.name());
  }

  @Override
  public Payload payload() {
    return item.getPayload().isEmpty()
        ? Payload.EMPTY
        : Payload.of(item.getPayload().asReadOnlyByteBuffer());
  }

  @Override
  public boolean signedWith(byte[] secret) {
    return frame.itemSignedWith(
        secret,
        index,
        item.getOpcode(),
        item.getBody().asReadOnlyByteBuffer(),
        item.getMac().toByteArray());
  }
}
