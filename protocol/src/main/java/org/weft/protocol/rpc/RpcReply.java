package org.weft.protocol.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;

/** A successful answer. Who gets it releases the payload. The body stays valid. */
public record RpcReply(ByteBuffer body, Payload payload) {
  /** Parses the body and releases the payload, which is expected to be empty. */
  public <T> T parse(Parser<T> parser) throws RpcException {
    payload.release();
    return parseBody(parser);
  }

  /** Parses the body; the payload stays the caller's. */
  public <T> T parseBody(Parser<T> parser) throws RpcException {
    try {
      return parser.parseFrom(body.duplicate());
    } catch (InvalidProtocolBufferException e) {
      throw new RpcException(ErrorCode.MALFORMED, "a reply's body could not be read: " + e, e);
    }
  }
}
