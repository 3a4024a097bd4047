package org.weft.client.volume;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.client.cache.Lease;
import org.weft.client.cache.ReadCache;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;

/** A session that the manager opened, with its slots. Confined to the home executor. */
final class LiveSession {
  private final long id;
  private final byte[] secret;
  private final long leaseNanos;
  private final SlotTable slots;
  private final OpenedFiles files;
  private final Lease lease;
  private final Optional<ReadCache> reads;
  private final boolean keepsFirstAnswers;
  private boolean ended;

  /**
   * @param secret null if the manager gave none, as those of earlier releases
   * @param lease by which the client knows that the session is there
   * @param reads what it was granted for reading; empty if it does not want to be
   * @param keepsFirstAnswers its manager knows repeats by where they come from
   */
  LiveSession(
      long id,
      byte[] secret,
      long leaseNanos,
      SlotTable slots,
      OpenedFiles files,
      Lease lease,
      Optional<ReadCache> reads,
      boolean keepsFirstAnswers) {
    this.id = id;
    this.keepsFirstAnswers = keepsFirstAnswers;
    this.secret = secret;
    this.files = files;
    this.leaseNanos = leaseNanos;
    this.slots = slots;
    this.lease = lease;
    this.reads = reads;
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

  /** The manager has not ended the session for want of a sign of life; asked by any thread. */
  Lease lease() {
    return lease;
  }

  /** Its manager answers a repeat in another session as the first time (P 6.5c). */
  boolean keepsFirstAnswers() {
    return keepsFirstAnswers;
  }

  /** What it was granted for reading. */
  Optional<ReadCache> reads() {
    return reads;
  }

  /** A renewal was answered; what else it says is the caller's. */
  void renewed(RenewSessionRequest sent, long sentNanos, RenewSessionReply reply) {
    lease.renewed(sentNanos, TimeUnit.MILLISECONDS.toNanos(reply.getLeaseMillis()));
    reads.ifPresent(cache -> cache.renewed(sent, sentNanos, reply));
  }

  /** True once the manager has said that it does not know the session, or the client closed it. */
  boolean ended() {
    return ended;
  }

  void end() {
    ended = true;
    lease.end();
    reads.ifPresent(ReadCache::end);
  }
}
