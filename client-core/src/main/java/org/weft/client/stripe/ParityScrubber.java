package org.weft.client.stripe;

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Makes the parity of a file agree with its data again after its writer died, or tells whether it
 * does (DESIGN 5). Every data unit counts as it is, also one that its writer's last write never
 * reached, so nothing that was acknowledged changes; only parity, copies, and what lies behind the
 * end of the file in its last stripe are rewritten (P 4.3).
 *
 * <p>For managers, with the file's grants fenced off (P 5.7): there must be no writer. All
 * components must answer, and none that must exist may be gone; otherwise it fails, naming the one
 * that did not, and may be repeated. A scrub that ended half way has done no harm.
 *
 * <p>One scrub of one file at a time. Futures complete on the engine's executor and fail with an
 * {@link RpcException}.
 */
public final class ParityScrubber {
  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;

  ParityScrubber(StripeEngine engine, StripedFile file) {
    this.engine = engine;
    this.file = file;
    this.layout = file.layout();
  }

  /**
   * Changes nothing. Components that are not there count as wrong units where they should hold
   * some.
   */
  public CompletableFuture<ScrubReport> verify() {
    return ComponentStates.gather(engine, file, 0, 0)
        .thenCompose(
            states ->
                states.missing().isEmpty()
                    ? run(states, null, OptionalLong.empty())
                    : CompletableFuture.failedFuture(missing(states.missing())));
  }

  /** As {@link #repair(long, long, int)} for a file of which nothing has been published. */
  public CompletableFuture<ScrubReport> repair(long grantNumber) {
    return repair(grantNumber, 0, 0);
  }

  /**
   * Rewrites wrong parity and makes components that were left out. All stripes are looked at; with
   * components that the map calls missing it fails.
   *
   * @param grantNumber of the writes (P 5.1): never used before, not even by an earlier scrub, and
   *     at least the version of the file's objects
   * @param publishedBytes length of the file that was published: every component that a file this
   *     long has must be there
   * @param truncationNumber how often the file has been cut; components that know of fewer times do
   *     not say how long the file is
   */
  public CompletableFuture<ScrubReport> repair(
      long grantNumber, long publishedBytes, int truncationNumber) {
    return repair(grantNumber, publishedBytes, truncationNumber, OptionalLong.empty());
  }

  /**
   * Rewrites wrong parity of the stripes that the dead writer has touched, and of the last one. A
   * file with components that the map calls missing is in order if it has touched none; else it
   * fails with UNAVAILABLE, and waits for these components.
   *
   * @param firstSuspectGrant the first of the grants under which the dead writer wrote: what it
   *     sent again under a later one (P 5.8) is found by the stamps of both
   * @see #repair(long, long, int)
   */
  public CompletableFuture<ScrubReport> repairSince(
      long firstSuspectGrant, long grantNumber, long publishedBytes, int truncationNumber) {
    return repair(
        grantNumber, publishedBytes, truncationNumber, OptionalLong.of(firstSuspectGrant));
  }

  private CompletableFuture<ScrubReport> repair(
      long grantNumber, long publishedBytes, int truncationNumber, OptionalLong firstSuspectGrant) {
    return ComponentStates.gather(engine, file, publishedBytes, truncationNumber)
        .thenCompose(
            states -> {
              ScrubWrites writes =
                  new ScrubWrites(
                      engine, file, grantNumber, states.eofBytes(), states.truncationNumber());
              return run(states, writes, firstSuspectGrant);
            });
  }

  private CompletableFuture<ScrubReport> run(
      ComponentStates states, ScrubWrites writes, OptionalLong firstSuspectGrant) {
    if (states.eofBytes() == 0) {
      return CompletableFuture.completedFuture(new ScrubReport(0, 0, 0, 0, 0));
    }
    if (firstSuspectGrant.isEmpty()) {
      return states.missing().isEmpty()
          ? all(states, writes)
          : CompletableFuture.failedFuture(waits(states.missing()));
    }
    return SuspectStripes.since(engine, file, states, firstSuspectGrant.getAsLong())
        .thenCompose(suspects -> run(states, writes, suspects));
  }

  private CompletableFuture<ScrubReport> run(
      ComponentStates states, ScrubWrites writes, TreeSet<Long> suspects) {
    if (states.missing().isEmpty()) {
      // What lies behind the end is to be zeros, whoever wrote it.
      suspects.add(layout.stripeOf(states.eofBytes() - 1));
      return isSmall(states)
          ? new MirrorScrub(engine, file, states).run(writes)
          : new StripedScrub(engine, file, states, writes, suspects).run();
    }
    return suspects.isEmpty()
        ? CompletableFuture.completedFuture(new ScrubReport(states.eofBytes(), 0, 0, 0, 0))
        : CompletableFuture.failedFuture(waits(states.missing()));
  }

  private CompletableFuture<ScrubReport> all(ComponentStates states, ScrubWrites writes) {
    return isSmall(states)
        ? new MirrorScrub(engine, file, states).run(writes)
        : new StripedScrub(engine, file, states, writes, null).run();
  }

  /** A file that was cut to its first unit may still hold the others: then it is no mere copy. */
  private boolean isSmall(ComponentStates states) {
    return layout.isSmall(states.eofBytes()) && !states.holdsMoreThanCopies();
  }

  private RpcException missing(List<Integer> components) {
    return new RpcException(
        ErrorCode.TOO_MANY_LOST,
        "parity of %s cannot be checked: %s is marked missing; rebuild it first"
            .formatted(file.name(), file.describe(components.get(0))));
  }

  private RpcException waits(List<Integer> components) {
    return new RpcException(
        ErrorCode.UNAVAILABLE,
        "%s was being written and waits for %s, which is marked missing: without it nobody can tell which of its last writes are whole"
            .formatted(file.name(), file.describe(components.get(0))));
  }
}
