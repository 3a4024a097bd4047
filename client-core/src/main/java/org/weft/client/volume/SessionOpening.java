package org.weft.client.volume;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.cache.Lease;
import org.weft.client.cache.ReadCache;
import org.weft.client.cluster.ReplyReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.protocol.wire.OpenSessionRequest;

/**
 * Opens one session: the same nonce is sent until the manager answers, so that a lost answer does
 * not leave a second session behind. Confined to the home executor.
 */
final class SessionOpening {
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(1));

  private final VolumeSession owner;
  private final OpenSessionRequest body;
  private final Backoff.Delays delays;
  private final long beganNanos;
  private final long deadlineNanos;
  private final CompletableFuture<LiveSession> opened = new CompletableFuture<>();

  SessionOpening(VolumeSession owner) {
    SessionOptions options = owner.options();
    this.owner = owner;
    this.delays = RETRIES.begin(owner.environment().random());
    this.beganNanos = owner.nowNanos();
    this.deadlineNanos = beganNanos + TimeUnit.MILLISECONDS.toNanos(options.requestTimeoutMillis());
    OpenSessionRequest.Builder request =
        OpenSessionRequest.newBuilder()
            .setVolumeId(options.volumeId())
            .setUser(options.user())
            .addAllGroups(options.groups())
            .setClientName(options.clientName())
            .setNonce(owner.environment().random().nextLong())
            .setSlots(options.slots())
            .setCachesReads(options.cachedEntries() > 0)
            .setTrusted(options.joinSecret().isPresent())
            .setFollowsCuts(true);
    options
        .keepLocks()
        .ifPresent(
            keeping -> request.setKeepLocksMillis(keeping.millis()).setKeepLocksKey(keeping.key()));
    this.body = request.build();
  }

  /** Fails with the manager's refusal, or DEADLINE_EXCEEDED. */
  CompletableFuture<LiveSession> start() {
    attempt();
    return opened;
  }

  private void attempt() {
    if (owner.closedFor() != null) {
      opened.completeExceptionally(owner.closedFor());
      return;
    }
    long sentNanos = owner.nowNanos();
    var unused =
        owner
            .send(request())
            .thenApply(ReplyReader.parser(OpenSessionReply.parser()))
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    opened.complete(session(reply, sentNanos));
                  } else {
                    refused(WeftException.of(failure));
                  }
                });
  }

  /**
   * A trusted session is asked for with a signature that only daemons can make, and given by a
   * manager that can make one, too.
   */
  private RpcRequest request() {
    int timeoutMillis = owner.options().attemptTimeoutMillis();
    return owner
        .options()
        .joinSecret()
        .map(secret -> RpcRequest.proven(Opcode.OPEN_SESSION, body, timeoutMillis, secret))
        .orElseGet(() -> RpcRequest.unsigned(Opcode.OPEN_SESSION, body, timeoutMillis));
  }

  private LiveSession session(OpenSessionReply reply, long sentNanos) {
    SessionOptions options = owner.options();
    long leaseNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(1, reply.getLeaseMillis()));
    OpenedFiles files = new OpenedFiles(reply.getSessionId(), reply.getEpoch());
    Lease lease = new Lease(owner::nowNanos);
    lease.renewed(sentNanos, leaseNanos);
    Optional<ReadCache> reads =
        options.cachedEntries() == 0
            ? Optional.empty()
            : Optional.of(
                new ReadCache(reply.getEpoch(), options.cachedEntries(), owner::nowNanos, files));
    return new LiveSession(
        reply.getSessionId(),
        reply.getSecret().isEmpty() ? null : reply.getSecret().toByteArray(),
        leaseNanos,
        new SlotTable(Math.max(1, Math.min(reply.getSlots(), options.slots()))),
        files,
        lease,
        reads,
        reply.getKeepsFirstAnswers());
  }

  private void refused(WeftException failure) {
    Refusal refusal = Refusal.of(failure.code());
    if (refusal != Refusal.NOT_TAKEN && refusal != Refusal.IN_DOUBT) {
      opened.completeExceptionally(failure);
      return;
    }
    owner.notServed(failure);
    owner.putOff().waits(beganNanos, failure);
    long waitNanos = delays.nextNanos();
    if (owner.nowNanos() + waitNanos - deadlineNanos > 0) {
      opened.completeExceptionally(
          new WeftException(
              ErrorCode.DEADLINE_EXCEEDED,
              "the volume's manager opened no session within "
                  + owner.options().requestTimeoutMillis() / 1000.0
                  + " s: "
                  + failure.getMessage()
                  + "; `weft status` shows what the cluster waits for",
              failure));
    } else {
      owner.schedule(waitNanos, this::attempt);
    }
  }
}
