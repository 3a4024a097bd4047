package org.weft.protocol.rpc;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.protocol.wire.BatchRequest;

/**
 * A call to make. The payload belongs to the connection from here on.
 *
 * @param opcode see {@link Opcode}
 * @param timeoutMillis past it the call fails with DEADLINE_EXCEEDED; the server learns what
 *     remains
 * @param secret signs the frame's header and body; null for an unsigned call
 * @param itemSecrets of a BATCH, one for each item, whose MACs the transport fills in when it
 *     sends; empty for every other opcode
 * @param provenAnswer only an answer counts that is signed with the secret, over this request. An
 *     unsigned UNAUTHENTICATED passes, since the other side may have another secret; everything
 *     else fails with UNAVAILABLE. Such an answer has no payload.
 */
public record RpcRequest(
    Opcode opcode,
    MessageLite body,
    Payload payload,
    int timeoutMillis,
    byte[] secret,
    List<byte[]> itemSecrets,
    boolean provenAnswer) {
  public RpcRequest {
    itemSecrets = List.copyOf(itemSecrets);
    if (timeoutMillis <= 0) {
      throw new IllegalArgumentException("a call needs a deadline, got " + timeoutMillis + " ms");
    }
    if (provenAnswer && secret == null) {
      throw new IllegalArgumentException("only a signed request can have a proven reply");
    }
    int items = body instanceof BatchRequest batch ? batch.getItemsCount() : 0;
    if (!itemSecrets.isEmpty() && itemSecrets.size() != items) {
      throw new IllegalArgumentException(
          "a batch of " + items + " items needs as many secrets, got " + itemSecrets.size());
    }
  }

  /** A call whose answer needs no proof. */
  public RpcRequest(
      Opcode opcode,
      MessageLite body,
      Payload payload,
      int timeoutMillis,
      byte[] secret,
      List<byte[]> itemSecrets) {
    this(opcode, body, payload, timeoutMillis, secret, itemSecrets, false);
  }

  /** A call that is not a batch. */
  public RpcRequest(
      Opcode opcode, MessageLite body, Payload payload, int timeoutMillis, byte[] secret) {
    this(opcode, body, payload, timeoutMillis, secret, List.of(), false);
  }

  public static RpcRequest unsigned(Opcode opcode, MessageLite body, int timeoutMillis) {
    return new RpcRequest(opcode, body, Payload.EMPTY, timeoutMillis, null);
  }

  public static RpcRequest signed(
      Opcode opcode, MessageLite body, int timeoutMillis, byte[] secret) {
    return new RpcRequest(opcode, body, Payload.EMPTY, timeoutMillis, secret);
  }

  /** As {@link #signed}; only a signed answer counts. */
  public static RpcRequest proven(
      Opcode opcode, MessageLite body, int timeoutMillis, byte[] secret) {
    return new RpcRequest(opcode, body, Payload.EMPTY, timeoutMillis, secret, List.of(), true);
  }

  /**
   * A BATCH whose item i is signed with secret i, in the moment it is sent; the items come without
   * MAC. The frame itself is not signed: each item stands on its own capability.
   */
  public static RpcRequest batch(BatchRequest items, List<byte[]> itemSecrets, int timeoutMillis) {
    return new RpcRequest(
        Opcode.BATCH, items, Payload.EMPTY, timeoutMillis, null, itemSecrets, false);
  }
}
