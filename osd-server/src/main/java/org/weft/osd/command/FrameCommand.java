package org.weft.osd.command;

import com.google.protobuf.Parser;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;

/** A command that has a frame of its own. */
record FrameCommand(Opcode opcode, InboundRequest request) implements Command {
  @Override
  public <T> T parse(Parser<T> parser) throws RpcException {
    return request.parse(parser);
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
