package org.weft.protocol.transport;

import com.google.protobuf.MessageLite;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.RpcError;

/** A frame without payload, MAC or deadline. */
record PlainFrame(FrameKind kind, int opcodeNumber, long requestId, MessageLite message)
    implements OutboundFrame {
  private static final int MAX_TEXT_CHARS = 4_096;
  private static final int MAX_DETAIL_BYTES = 16 << 10;

  static PlainFrame of(FrameKind kind, MessageLite message) {
    return new PlainFrame(kind, 0, 0, message);
  }

  static PlainFrame ping() {
    return of(FrameKind.PING, Empty.getDefaultInstance());
  }

  static PlainFrame cancel(long requestId) {
    return new PlainFrame(FrameKind.CANCEL, 0, requestId, Empty.getDefaultInstance());
  }

  /** About a request, or with id 0 about the connection. */
  static PlainFrame error(int opcodeNumber, long requestId, ErrorCode code, String text) {
    RpcError body = errorBody(new WeftException(code, text));
    return new PlainFrame(FrameKind.ERROR, opcodeNumber, requestId, body);
  }

  /** Of a longer detail nothing is told: a part of it means nothing. */
  static RpcError errorBody(WeftException failure) {
    String said = String.valueOf(failure.getMessage());
    RpcError.Builder body =
        RpcError.newBuilder()
            .setCode(failure.code().number())
            .setMessage(said.length() <= MAX_TEXT_CHARS ? said : said.substring(0, MAX_TEXT_CHARS));
    return failure.detail().size() <= MAX_DETAIL_BYTES
        ? body.setDetail(failure.detail()).build()
        : body.build();
  }

  @Override
  public MessageLite body(byte[] nonce, long counter) {
    return message;
  }
}
