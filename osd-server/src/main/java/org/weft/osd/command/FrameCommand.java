package org.weft.osd.command;

import com.google.protobuf.Parser;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;

/** A command that has a frame of its own. Handed from thread to thread. */
final class FrameCommand implements Command {
  private final Opcode opcode;
  private final InboundRequest request;
  // Of whoever parsed it last: what could not be begun at once is looked at again.
  private Parser<?> parser;
  private Object body;

  FrameCommand(Opcode opcode, InboundRequest request) {
    this.opcode = opcode;
    this.request = request;
  }

  @Override
  public Opcode opcode() {
    return opcode;
  }

  InboundRequest request() {
    return request;
  }

  @Override
  @SuppressWarnings("unchecked") // What the same parser made.
  public <T> T parse(Parser<T> wanted) throws RpcException {
    if (parser != wanted) {
      body = request.parse(wanted);
      parser = wanted;
    }
    return (T) body;
  }

  @Override
  public Payload payload() {
    return request.payload();
  }

  @Override
  public boolean signedWith(byte[] secret) {
    return request.signedWith(secret);
  }
}
