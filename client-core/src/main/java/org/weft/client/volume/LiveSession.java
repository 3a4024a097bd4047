package org.weft.client.volume;

import com.google.protobuf.MessageLite;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;

/** A session that the manager opened, with its slots. Confined to the home executor. */
final class LiveSession {
  private final long id;
  private final byte[] secret;
  private final long leaseNanos;
  private final SlotTable slots;
  private final OpenedFiles files;
  private boolean ended;

  /**
   * @param secret null if the manager gave none, as those of earlier releases
   */
  LiveSession(long id, byte[] secret, long leaseNanos, SlotTable slots, OpenedFiles files) {
    this.id = id;
    this.secret = secret;
    this.files = files;
    this.leaseNanos = leaseNanos;
    this.slots = slots;
  }

  long id() {
    return id;
  }

  /** A request of this session, signed as its holder's (P 6.5). */
  RpcRequest request(Opcode opcode, MessageLite body, int timeoutMillis) {
    return RpcRequest.signed(opcode, body, timeoutMillis, secret);
  }

  long leaseNanos() {
    return leaseNanos;
  }

  SlotTable slots() {
    return slots;
  }

  OpenedFiles files() {
    return files;
  }

  /** True once the manager has said that it does not know the session, or the client closed it. */
  boolean ended() {
    return ended;
  }

  void end() {
    ended = true;
  }
}
