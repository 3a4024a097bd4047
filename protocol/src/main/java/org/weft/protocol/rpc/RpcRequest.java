package org.weft.protocol.rpc;

import com.google.protobuf.MessageLite;

/**
 * A call to make. The payload belongs to the connection from here on.
 *
 * @param opcode see {@link Opcode}
 * @param timeoutMillis past it the call fails with DEADLINE_EXCEEDED; the server learns what remains
 * @param secret signs the frame's header and body; null for an unsigned call
 */
public record RpcRequest(
    Opcode opcode, MessageLite body, Payload payload, int timeoutMillis, byte[] secret) {
  public RpcRequest {
    if (timeoutMillis <= 0) {
      throw new IllegalArgumentException("a call needs a deadline, got " + timeoutMillis + " ms");
    }
  }

  public static RpcRequest unsigned(Opcode opcode, MessageLite body, int timeoutMillis) {
    return new RpcRequest(opcode, body, Payload.EMPTY, timeoutMillis, null);
  }

  public static RpcRequest signed(
      Opcode opcode, MessageLite body, int timeoutMillis, byte[] secret) {
    return new RpcRequest(opcode, body, Payload.EMPTY, timeoutMillis, secret);
  }
}
