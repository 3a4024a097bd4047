package org.weft.metadata.help;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.ShareIdentity;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * Has components of one volume copied: by its primary itself, as many at a time as it may, and
 * beyond that by other managers (P 6.8). Each number is given to one manager, once. Nothing waits
 * here for room: a file that is begun and not copied would hold space, and its turn. Confined to
 * the volume's thread.
 */
public final class VolumeCopies {
  /** No worker is asked any more when it has been offered for so long. */
  private static final long OFFER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Backoff PAUSES =
      Backoff.spread(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(32));

  /** So long no worker is given a component for an OSD that has refused the right to copy. */
  static final long REFUSING_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int MAX_OWN = 1_000;

  private final Terms terms;
  private final StripeEngine stripes;
  private final CopyWorkers workers;
  private final CopySlots slots;
  private final Environment environment;
  private final Executor home;
  private final List<ShareCall> shares = new ArrayList<>();

  /** Files that a worker has failed with: what is wrong is for the primary to see. */
  private final Set<ObjectId> ownOnly = new HashSet<>();

  /** OSDs that did not take the right to copy: of an earlier release, or with a wrong clock. */
  private final Map<OsdId, Long> refusingSinceNanos = new HashMap<>();

  private final OwnTurns own;
  private int refusals;
  private long refusedNanos;
  private long pauseNanos;
  private boolean closed;

  /**
   * Whose components are copied.
   *
   * @param atOnce components that the primary copies itself at a time
   * @param mint signs what workers copy with
   */
  public record Terms(PartitionId volume, long epoch, int atOnce, CapabilityMint mint) {}

  private record Offer(
      ComponentCopy copy,
      BooleanSupplier wanted,
      LongConsumer written,
      CompletableFuture<RebuildOutcome> outcome,
      long sinceNanos) {}

  /**
   * @param slots of this manager
   * @param home the volume's thread
   */
  public VolumeCopies(
      Terms terms,
      StripeEngine stripes,
      CopyWorkers workers,
      CopySlots slots,
      Environment environment,
      Executor home) {
    this.terms = terms;
    this.stripes = stripes;
    this.workers = workers;
    this.slots = slots;
    this.environment = environment;
    this.home = home;
    this.own = new OwnTurns(terms.atOnce());
  }

  /**
   * How many components may be copied at a time now: by the primary, and by workers as far as they
   * have shown to have room. Never more than OSDs are up, unless the primary alone may: so an OSD
   * has no more to do for this volume beside its clients, however many managers there are.
   */
  public int atOnce(int osdsUp) {
    workers.meet();
    boolean isRefused = environment.ticker().nowNanos() - refusedNanos < pauseNanos;
    int all = terms.atOnce() + shares.size() + (isRefused ? 0 : workers.room());
    return Math.max(terms.atOnce(), Math.min(all, osdsUp));
  }

  /** Managers that copy now, the primary included if it does. */
  public int managers() {
    int workersNow =
        shares.stream()
            .filter(ShareCall::isAccepted)
            .map(ShareCall::manager)
            .collect(Collectors.toSet())
            .size();
    return workersNow + (own.taken() > 0 ? 1 : 0);
  }

  /**
   * A component of a file is about to be begun. If the primary has a turn for it, that is kept;
   * else a worker is to copy it.
   *
   * @param isComing false once nothing comes of it; asked on the volume's thread
   * @return OSDs that take nothing from workers, if a worker is to copy it: it is to have another
   *     target
   * @throws WeftException with {@link NoRoom} if the primary alone may copy it, and has no turn
   */
  public Set<OsdId> beginning(ObjectId file, BooleanSupplier isComing) throws WeftException {
    if (own.keep(file, isComing)) {
      return Set.of();
    }
    if (ownOnly.contains(file)) {
      throw NoRoom.failure();
    }
    return refusing();
  }

  /** True if the primary has a turn for one component more. */
  public boolean hasTurn() {
    return own.isFree();
  }

  /**
   * Copies a component, here or elsewhere. It is durable on its OSD when this completes; whatever
   * fails, a worker may go on writing for a while, and the number is to be given up. It fails with
   * {@link NoRoom}, soon and before anything is copied, where no manager has room: nothing waits
   * for one.
   *
   * @param wanted false once nothing comes of the copy any more; asked on the volume's thread
   * @param written hears of bytes that were written, on any thread
   */
  public CompletableFuture<RebuildOutcome> copy(
      ComponentCopy copy, BooleanSupplier wanted, LongConsumer written) {
    if (closed) {
      return CompletableFuture.failedFuture(ended());
    }
    if (own.take(copy.name().object())) {
      return own(copy, written);
    }
    if (ownOnly.contains(copy.name().object()) || refusing().contains(copy.target())) {
      return CompletableFuture.failedFuture(NoRoom.failure());
    }
    CompletableFuture<RebuildOutcome> outcome = new CompletableFuture<>();
    offer(
        new Offer(copy, wanted, written, outcome, environment.ticker().nowNanos()),
        new HashSet<>());
    return outcome;
  }

  private Set<OsdId> refusing() {
    long nowNanos = environment.ticker().nowNanos();
    refusingSinceNanos.values().removeIf(since -> nowNanos - since >= REFUSING_NANOS);
    return Set.copyOf(refusingSinceNanos.keySet());
  }

  /** Its turn is taken. */
  private CompletableFuture<RebuildOutcome> own(ComponentCopy copy, LongConsumer written) {
    ownOnly.remove(copy.name().object());
    return here(copy, written).whenCompleteAsync((outcome, failure) -> own.end(), home);
  }

  /**
   * The same, by the primary itself, whatever else it copies: it takes no turn of those that {@link
   * #copy} counts.
   */
  public CompletableFuture<RebuildOutcome> here(ComponentCopy copy, LongConsumer written) {
    slots.begin();
    CompletableFuture<RebuildOutcome> copied;
    try {
      copied = copy.by(stripes, written).rebuild();
    } catch (RuntimeException | Error e) {
      // Its turn, and what this manager may copy at a time, are not to be taken for good.
      copied = CompletableFuture.failedFuture(WeftException.of(e));
    }
    return copied.whenComplete((outcome, failure) -> slots.end());
  }

  /** To the first worker that takes it at once; where none does, nothing was begun. */
  private void offer(Offer one, Set<Integer> refused) {
    if (closed) {
      one.outcome().completeExceptionally(ended());
      return;
    }
    if (!one.wanted().getAsBoolean()) {
      one.outcome().completeExceptionally(unwanted(one.copy()));
      return;
    }
    if (own.take(one.copy().name().object())) {
      pass(own(one.copy(), one.written()), one.outcome());
      return;
    }
    boolean isLate = environment.ticker().nowNanos() - one.sinceNanos() >= OFFER_NANOS;
    Optional<ManagerRow> worker = isLate ? Optional.empty() : workers.take(refused);
    if (worker.isEmpty()) {
      pause(PAUSES.delayNanos(++refusals, environment.random()));
      one.outcome().completeExceptionally(NoRoom.failure());
      return;
    }
    ShareIdentity identity =
        ShareIdentity.newBuilder()
            .setVolumeId(terms.volume().value())
            .setEpoch(terms.epoch())
            .setNumber(one.copy().number())
            .build();
    ShareCall share =
        new ShareCall(
            workers,
            worker.get(),
            identity,
            one.copy(),
            () -> lent(one.copy()),
            one.wanted(),
            one.written(),
            environment,
            home);
    shares.add(share);
    var unused =
        share
            .start()
            .thenAccept(
                taken -> {
                  if (taken) {
                    refusals = 0;
                    pass(
                        share
                            .outcome()
                            .whenComplete((end, failure) -> over(share, one.copy(), failure)),
                        one.outcome());
                  } else {
                    over(share);
                    refused.add(share.manager());
                    offer(one, refused);
                  }
                });
  }

  private SignedCapability lent(ComponentCopy copy) {
    return terms
        .mint()
        .copier(
            copy.name().object(),
            new Lsn(copy.number()),
            copy.target(),
            copy.incarnation(),
            environment.clock().nowMillis());
  }

  private static void pass(
      CompletableFuture<RebuildOutcome> from, CompletableFuture<RebuildOutcome> to) {
    var unused =
        from.whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                to.complete(outcome);
              } else {
                to.completeExceptionally(failure);
              }
            });
  }

  private static WeftException unwanted(ComponentCopy copy) {
    return new WeftException(
        ErrorCode.GRANT_REVOKED,
        "object " + copy.name() + " was written or changed before it was copied");
  }

  /** Workers are not counted on for a while: each vain beginning costs two records. */
  private void pause(long nanos) {
    refusedNanos = environment.ticker().nowNanos();
    pauseNanos = nanos;
  }

  private void over(ShareCall share, ComponentCopy copy, Throwable failure) {
    over(share);
    if (share.isRightRefused()) {
      refusingSinceNanos.put(copy.target(), environment.ticker().nowNanos());
    }
    if (failure != null && WorkerLost.isIn(failure) && ownOnly.size() < MAX_OWN) {
      ownOnly.add(copy.name().object());
    }
  }

  private void over(ShareCall share) {
    if (shares.remove(share)) {
      workers.ended(share.manager(), share.isAccepted());
    }
  }

  private static WeftException ended() {
    return new WeftException(ErrorCode.CANCELLED, "the volume is not served here any more");
  }

  /** Begins nothing more, and does not wait. */
  public void close() {
    closed = true;
    for (ShareCall share : List.copyOf(shares)) {
      share.close();
      over(share);
    }
  }
}
