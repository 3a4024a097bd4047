package org.weft.protocol.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** A successful answer. The receiver releases the payload. The body stays valid. */
public record RpcReply(ByteBuffer body, Payload payload) {
  /** Parses the body and releases the payload, which is expected to be empty. */
  public <T> T parse(Parser<T> parser) throws WeftException {
    payload.release();
    return parseBody(parser);
  }

  /** Parses the body; the payload stays the caller's. */
  public <T> T parseBody(Parser<T> parser) throws WeftException {
    try {
      return parser.parseFrom(body.duplicate());
    } catch (InvalidProtocolBufferException e) {
      throw new WeftException(ErrorCode.MALFORMED, "a reply's body could not be read: " + e, e);
    }
  }
}
