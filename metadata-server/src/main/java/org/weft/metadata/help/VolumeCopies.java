package org.weft.metadata.help;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.weft.client.stripe.RebuildOutcome;
import org.weft.client.stripe.StripeEngine;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.ShareIdentity;

/**
 * Has components of one volume copied: by its primary itself, as many at a time as it may, and
 * beyond that by other managers (P 6.8). Each number is given to one manager, once. Confined to the
 * volume's thread.
 */
public final class VolumeCopies {
  private final Terms terms;
  private final StripeEngine stripes;
  private final CopyWorkers workers;
  private final CopySlots slots;
  private final Environment environment;
  private final Executor home;
  private final List<ShareCall> shares = new ArrayList<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int here;
  private boolean closed;

  /**
   * Whose components are copied.
   *
   * @param atOnce components that the primary copies itself at a time
   */
  public record Terms(PartitionId volume, long epoch, int atOnce) {}

  /** One that nobody has room for now. */
  private record Waiting(
      ComponentCopy copy,
      BooleanSupplier wanted,
      LongConsumer written,
      CompletableFuture<RebuildOutcome> outcome) {}

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
  }

  /**
   * How many components may be copied at a time now: by the primary, and by workers as far as they
   * have room. Never more than OSDs are up, unless the primary alone may: so an OSD has no more to
   * do beside its clients, however many managers there are.
   */
  public int atOnce(int osdsUp) {
    int all = terms.atOnce() + shares.size() + workers.room();
    return Math.max(terms.atOnce(), Math.min(all, osdsUp));
  }

  /** Managers that copy now, the primary included. */
  public int managers() {
    return 1 + shares.stream().map(ShareCall::manager).collect(Collectors.toSet()).size();
  }

  /**
   * Copies a component, here or elsewhere. It is durable on its OSD when this completes; whatever
   * fails, who copied may go on writing for a while, and the number is to be given up.
   *
   * @param wanted false once nothing comes of the copy any more; asked on the volume's thread
   * @param written hears of bytes that were written, on any thread
   */
  public CompletableFuture<RebuildOutcome> copy(
      ComponentCopy copy, BooleanSupplier wanted, LongConsumer written) {
    if (here < terms.atOnce()) {
      return here(copy, written);
    }
    Waiting next = new Waiting(copy, wanted, written, new CompletableFuture<>());
    offer(next, new HashSet<>());
    return next.outcome();
  }

  /** The same, by the primary itself, whatever else it copies. */
  public CompletableFuture<RebuildOutcome> here(ComponentCopy copy, LongConsumer written) {
    here++;
    slots.begin();
    return copy.by(stripes, written)
        .rebuild()
        .whenComplete((outcome, failure) -> slots.end())
        .whenCompleteAsync(
            (outcome, failure) -> {
              here--;
              next();
            },
            home);
  }

  private void next() {
    while (!closed && here < terms.atOnce() && !waiting.isEmpty()) {
      Waiting one = waiting.poll();
      if (one.wanted().getAsBoolean()) {
        pass(here(one.copy(), one.written()), one.outcome());
      } else {
        one.outcome().completeExceptionally(unwanted(one.copy()));
      }
    }
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

  private static RpcException unwanted(ComponentCopy copy) {
    return new RpcException(
        ErrorCode.GRANT_REVOKED,
        "object " + copy.name() + " was written or changed before it was copied");
  }

  /** To the first worker that takes it; where none does it waits for a turn here. */
  private void offer(Waiting one, Set<Integer> refused) {
    if (closed) {
      one.outcome().completeExceptionally(ended());
      return;
    }
    Optional<ManagerRow> worker = here < terms.atOnce() ? Optional.empty() : workers.take(refused);
    if (worker.isEmpty()) {
      waiting.add(one);
      next();
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
                    pass(
                        share.outcome().whenComplete((end, failure) -> over(share)), one.outcome());
                  } else {
                    over(share);
                    refused.add(share.manager());
                    offer(one, refused);
                  }
                });
  }

  private void over(ShareCall share) {
    if (shares.remove(share)) {
      workers.ended(share.manager());
    }
  }

  private static RpcException ended() {
    return new RpcException(ErrorCode.CANCELLED, "the volume is not served here any more");
  }

  /** Begins nothing more, and waits for nobody. */
  public void close() {
    closed = true;
    for (ShareCall share : List.copyOf(shares)) {
      share.close();
      over(share);
    }
    waiting.forEach(one -> one.outcome().completeExceptionally(ended()));
    waiting.clear();
  }
}
