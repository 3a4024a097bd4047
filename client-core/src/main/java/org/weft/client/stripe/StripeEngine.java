package org.weft.client.stripe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.check.ParityCheck;
import org.weft.client.stripe.commit.CompletionNotifier;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.hedge.HedgeCounts;
import org.weft.client.stripe.read.StripeReader;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.stripe.write.StripeWriter;
import org.weft.protocol.seam.Environment;

/**
 * Begins what is done with the files of a client: reads, writes, checks. One for each client or
 * manager; thread-safe.
 *
 * <p>What comes from OSDs is checked and copied on the executor, where it takes longer than a
 * hand-over. The thread that writes encodes what is written. The executor should have as many
 * threads as there are processors and a queue of some thousand tasks. Where it refuses one, the
 * work is done by the caller: that is the back-pressure.
 */
public final class StripeEngine {
  private final StripeContext context;
  private final CompletionNotifier completions;
  private final StripeEngine background;

  public StripeEngine(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options) {
    this(environment, connections, executor, options, new UnitPool(options.poolBytes()));
  }

  /** With the memory of its streams from there. */
  StripeEngine(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options,
      UnitPool pool) {
    this(new StripeContext(environment, connections, executor, options, pool, true));
  }

  /** The memory of its streams, for what is read beside them. */
  public UnitPool buffers() {
    return context.pool();
  }

  private StripeEngine(StripeContext context) {
    this.context = context;
    this.completions = new CompletionNotifier(context);
    this.background = this;
  }

  private StripeEngine(StripeEngine engine, StripeContext background) {
    this.context = engine.context;
    this.completions = engine.completions;
    this.background = new StripeEngine(background);
  }

  /**
   * The same with connections of its own for what makes way for clients, which waits longer for
   * OSDs. Both share executor and memory; what one knows of OSDs that fail the other does not.
   *
   * @param connections that were told their share
   */
  public StripeEngine withBackground(
      Environment environment, OsdConnections connections, Executor executor) {
    return new StripeEngine(
        this,
        new StripeContext(
            environment,
            connections,
            executor,
            context.options().forBackground(),
            context.pool(),
            true));
  }

  /**
   * What rebuilds, copies, repairs and compares files for no client that waits is begun here. This
   * one itself, unless it was made {@linkplain #withBackground with another}.
   */
  public StripeEngine background() {
    return background;
  }

  /** One that reads alone, and reports no bad block that it meets: OSDs keep nothing of it. */
  public static StripeEngine withoutReports(
      Environment environment,
      OsdConnections connections,
      Executor executor,
      StripeOptions options) {
    UnitPool pool = new UnitPool(options.poolBytes());
    return new StripeEngine(
        new StripeContext(environment, connections, executor, options, pool, false));
  }

  /** Writes a file that holds nothing yet, from its beginning; a component lost ends it. */
  public StripeWriter write(StripedFile file, StripeGrant grant, FailureListener listener) {
    return write(new WriteTerms(file, grant), Regrants.NONE, listener);
  }

  /** Writes a file that holds nothing yet, from its beginning. */
  public StripeWriter write(WriteTerms terms, Regrants regrants, FailureListener listener) {
    return StripeWriter.ofNewFile(context, sender(terms, 0, regrants, listener), listener);
  }

  /**
   * Writes behind the end of a file, under a grant that excludes all other writers. Where the last
   * stripe will be needed in any case it is read first, and this fails as {@link StripeReader#read}
   * does. Else it is read when it is needed, and calls of the writer fail so.
   *
   * @param sizeBytes length of the file; everything older than the grant is complete
   */
  public CompletableFuture<StripeWriter> append(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return StripeWriter.append(
        context, sender(terms, sizeBytes, regrants, listener), sizeBytes, listener);
  }

  /**
   * Changes a file at any positions, under a grant that excludes all other writers.
   *
   * @param sizeBytes length of the file; everything older than the grant is complete
   */
  public StripeUpdater update(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return new StripeUpdater(
        context, sender(terms, sizeBytes, regrants, listener), sizeBytes, listener);
  }

  /** What carries all changes of one file to its components under one grant. */
  FileWriteService sender(
      WriteTerms terms, long sizeBytes, Regrants regrants, FailureListener listener) {
    return new FileWriteService(context, completions, terms, sizeBytes, regrants, listener);
  }

  /**
   * Reads a file at any position.
   *
   * @param sizeBytes nothing beyond it is read
   * @param beingWritten another client writes the file: what is decoded is checked by P 5.6
   */
  public StripeReader read(
      StripedFile file, long sizeBytes, boolean beingWritten, FailureListener listener) {
    return new StripeReader(context, file, sizeBytes, beingWritten, listener);
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
        context, file, sizeBytes, beingWritten, true, truncationNumber, false, listener);
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
        context, file, sizeBytes, beingWritten, true, truncationNumber, true, listener);
  }

  /** Checks the parity of a file that no client writes. */
  public ParityCheck parityOf(StripedFile file) {
    return new ParityCheck(context, file);
  }

  /**
   * What the engine's streams share; a manager's recovery of files uses it, too. It is internal.
   */
  public StripeContext context() {
    return context;
  }

  /**
   * Tells OSDs what they have not heard yet of writes that are complete; for a client that begins
   * nothing any more. Completes when those that can be reached have heard it, or after the time
   * given.
   */
  public CompletableFuture<Void> finish(long atMostNanos) {
    CompletableFuture<Void> finished = completions.finish();
    if (!finished.isDone()) {
      context.after(atMostNanos, () -> finished.complete(null));
    }
    return finished;
  }

  /** The client is closed: reads that wait to be retried fail. Nothing is read any more. */
  public void end() {
    context.end();
  }

  /** How often late units were not waited for. */
  public HedgeCounts hedgeCounts() {
    return context.hedging().counts();
  }

  CompletionNotifier completions() {
    return completions;
  }
}
