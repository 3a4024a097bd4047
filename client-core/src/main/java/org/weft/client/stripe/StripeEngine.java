package org.weft.client.stripe;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;

/**
 * What all streams of a client share. One for each client or manager; thread-safe.
 *
 * <p>What comes from OSDs is checked and copied on the executor, where it takes longer than a
 * hand-over; what is written is encoded by who writes. The executor should have as many threads as
 * there are processors and a queue of some thousand tasks. Where it refuses one, the work is done
 * by the caller: that is the back-pressure.
 */
public final class StripeEngine {
  private static final long ROOM_POLL_NANOS = 1_000_000;
  private static final int MOST_ROOM_POLLS = 2_000;

  private final OsdClient osds;
  private final Scheduler scheduler;
  private final Ticker ticker;
  private final RandomGenerator random;
  private final Executor executor;
  private final StripeOptions options;
  private final UnitPool pool;
  private final Suspects suspects;
  private final Hedging hedging;
  private final CompletionCollector completions;
  private final BadBlockReports badBlocks;

  public StripeEngine(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options) {
    this(environment, connections, executor, options, new UnitPool(options.poolBytes()), true);
  }

  /** With the memory of its streams from there. */
  StripeEngine(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options,
      UnitPool pool) {
    this(environment, connections, executor, options, pool, true);
  }

  private StripeEngine(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options,
      UnitPool pool,
      boolean reports) {
    this.osds = new OsdClient(connections, executor);
    this.scheduler = environment.scheduler();
    this.ticker = environment.ticker();
    this.random = environment.random();
    this.executor = executor;
    this.options = options;
    this.pool = pool;
    this.suspects = new Suspects(ticker, options.suspicionMillis());
    this.hedging = new Hedging(this, options.hedges());
    this.completions = new CompletionCollector(this);
    this.badBlocks = new BadBlockReports(osds, ticker, reports);
  }

  /** One that reads alone, and reports no bad block that it meets: OSDs keep nothing of it. */
  public static StripeEngine withoutReports(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options) {
    UnitPool pool = new UnitPool(options.poolBytes());
    return new StripeEngine(environment, connections, executor, options, pool, false);
  }

  /** Writes a file that holds nothing yet, from its beginning; a component lost ends it. */
  public StripeWriter write(StripedFile file, WriteGrant grant, FailureListener listener) {
    return write(new WriteTerms(file, grant), Regrants.NONE, listener);
  }

  /** Writes a file that holds nothing yet, from its beginning. */
  public StripeWriter write(WriteTerms terms, Regrants regrants, FailureListener listener) {
    RunSender sender = sender(terms, 0, regrants, listener);
    return new StripeWriter(this, sender, 0, new StoredTail(this, sender, listener, 0));
  }

  /**
   * Writes behind the end of a file, under a grant that excludes everybody else. Where the last
   * stripe will be needed in any case it is read first, and this fails as {@link StripeReader#read}
   * does; else it is read when it is needed, and calls of the writer fail so.
   *
   * @param sizeBytes length of the file; everything older than the grant is complete
   */
  public CompletableFuture<StripeWriter> append(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return append(sender(terms, sizeBytes, regrants, listener), sizeBytes, listener);
  }

  /** As above, with a sender that may have been used before. */
  CompletableFuture<StripeWriter> append(
      RunSender sender, long sizeBytes, FailureListener listener) {
    StoredTail tail = new StoredTail(this, sender, listener, sizeBytes);
    return tail.readIfNeeded()
        .thenApply(nothing -> new StripeWriter(this, sender, sizeBytes, tail));
  }

  /**
   * Changes a file at any positions, under a grant that excludes everybody else.
   *
   * @param sizeBytes length of the file; everything older than the grant is complete
   */
  public StripeUpdater update(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return new StripeUpdater(
        this, sender(terms, sizeBytes, regrants, listener), sizeBytes, listener);
  }

  /** What carries all changes of one file to its components under one grant. */
  RunSender sender(WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return new RunSender(this, terms, sizeBytes, regrants, listener);
  }

  /**
   * Reads a file at any position.
   *
   * @param sizeBytes nothing beyond it is read
   * @param beingWritten another client writes the file: what is decoded is checked by P 5.6
   */
  public StripeReader read(
      StripedFile file, long sizeBytes, boolean beingWritten, FailureListener listener) {
    return new StripeReader(
        this, file, sizeBytes, beingWritten, false, Integer.MAX_VALUE, false, listener);
  }

  /**
   * Reads a file at any position, as long as it is not cut; small reads complete on event loops.
   *
   * @param truncationNumber how often the file had been cut when it was opened (P 4.3)
   */
  public StripeReader read(
      StripedFile file,
      long sizeBytes,
      boolean beingWritten,
      int truncationNumber,
      FailureListener listener) {
    return new StripeReader(
        this, file, sizeBytes, beingWritten, true, truncationNumber, false, listener);
  }

  /**
   * As above, but of every stripe parity is read too, as far as its components are there, and only
   * what it confirms is delivered. Costs a read of whole ranges of all units for any byte of one.
   */
  public StripeReader readVerified(
      StripedFile file,
      long sizeBytes,
      boolean beingWritten,
      int truncationNumber,
      FailureListener listener) {
    return new StripeReader(
        this, file, sizeBytes, beingWritten, true, truncationNumber, true, listener);
  }

  /** Decides what writers that are gone left pending; the versions must have been raised. */
  public StripeResolver resolver(StripedFile file, ResolveTask task) {
    return new StripeResolver(this, file, task);
  }

  /** Writes a component anew where the file's map says; the others must be at rest (P 6.8). */
  public ComponentRebuild rebuild(StripedFile file, RebuildTask task) {
    return new ComponentRebuild(this, file, task);
  }

  /**
   * Writes damaged blocks of a component anew where they are; the others must be at rest (P 6.8b).
   *
   * @param offsets of the blocks in the component
   * @param guard completes if nobody was let write the file since the task's number was drawn;
   *     asked for each block, once it is computed and before it is written
   */
  public BlockRepair repairBlocks(
      StripedFile file,
      RebuildTask task,
      List<Long> offsets,
      Supplier<CompletableFuture<Void>> guard) {
    return new BlockRepair(this, file, task, offsets, guard);
  }

  /** Checks the parity of a file that nobody writes. */
  public ParityCheck parityOf(StripedFile file) {
    return new ParityCheck(this, file);
  }

  /** What the OSD of a component says of it, its eof and truncation number among that. */
  CompletableFuture<GetAttributesReply> attributesOf(StripedFile file, int component) {
    return osds.getAttributes(
        file.target(component, options.readAttemptMillis()),
        GetAttributesRequest.newBuilder().setObjectId(file.name().object().value()));
  }

  OsdClient osds() {
    return osds;
  }

  Ticker ticker() {
    return ticker;
  }

  RandomGenerator random() {
    return random;
  }

  StripeOptions options() {
    return options;
  }

  UnitPool pool() {
    return pool;
  }

  Suspects suspects() {
    return suspects;
  }

  Hedging hedging() {
    return hedging;
  }

  /**
   * Tells OSDs what they have not heard yet of writes that are complete; for a client that begins
   * nothing any more. Completes when those that can be reached have heard it, or after the time
   * given.
   */
  public CompletableFuture<Void> finish(long atMostNanos) {
    CompletableFuture<Void> finished = completions.finish();
    if (!finished.isDone()) {
      after(atMostNanos, () -> finished.complete(null));
    }
    return finished;
  }

  /** How often late units were not waited for. */
  public HedgeCounts hedgeCounts() {
    return hedging.counts();
  }

  BadBlockReports badBlocks() {
    return badBlocks;
  }

  CompletionCollector completions() {
    return completions;
  }

  /** Runs it on the executor, or here if that is full. */
  void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /**
   * Runs it on the executor, later if that is full: for what a thread of the transport sets off.
   */
  void executeElsewhere(Runnable task) {
    executeElsewhere(task, MOST_ROOM_POLLS);
  }

  private void executeElsewhere(Runnable task, int pollsLeft) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      if (pollsLeft == 0) {
        // Not full but ended: the task finds that out and cleans up.
        task.run();
      } else {
        var unused =
            scheduler.schedule(
                ROOM_POLL_NANOS, Runnable::run, () -> executeElsewhere(task, pollsLeft - 1));
      }
    }
  }

  /** Runs it on the executor after a pause. */
  void after(long delayNanos, Runnable task) {
    var unused = scheduler.schedule(delayNanos, this::executeElsewhere, task);
  }
}
