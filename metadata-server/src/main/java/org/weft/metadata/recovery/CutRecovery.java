package org.weft.metadata.recovery;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.retry.Backoff;

/**
 * Finishes cuts whose writers went away before they had done so (P 4.3), a few at a time, soon
 * after the files were resolved. Each grant gets one attempt. Whatever comes of it, the file is
 * resolved next ({@link GrantRecovery}). Where the truncation is not over, the resolve ends with
 * another grant of this kind. After a failure of a file the next attempt waits, ever longer.
 *
 * <p>A manager that starts knows of no attempt. It first resolves the truncations in its journal.
 * Confined to the volume's thread.
 */
public final class CutRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(CutRecovery.class);
  private static final int MAX_AT_ONCE = 2;

  /** Without jitter: of however many that wait a volume tries two at a time. */
  private static final Backoff RETRIES =
      Backoff.exact(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.SECONDS.toNanos(30));

  /** How it went with one file so far. */
  private static final class Attempts {
    private boolean underWay;
    private long notBeforeNanos;
    private int failures;
    private String problem = "";

    Attempts(long nowNanos) {
      notBeforeNanos = nowNanos;
    }
  }

  private final CutFiles files;
  private final FileCutter cutter;
  private final Executor home;
  private final TreeMap<ObjectId, Attempts> attempts = new TreeMap<>();
  private int underWay;

  /**
   * @param home the volume's thread
   */
  public CutRecovery(CutFiles files, FileCutter cutter, Executor home) {
    this.files = files;
    this.cutter = cutter;
    this.home = home;
  }

  /** Looks for something to begin; to be called now and then. */
  public void look(long nowNanos) {
    if (!attempts.isEmpty()) {
      Set<ObjectId> unfinished = files.unfinished();
      attempts
          .entrySet()
          .removeIf(each -> !each.getValue().underWay && !unfinished.contains(each.getKey()));
    }
    List<WriteGrant> due =
        files.waiting().stream()
            .filter(grant -> isDue(grant.object(), nowNanos))
            .sorted(Comparator.comparingLong(grant -> attempts.get(grant.object()).notBeforeNanos))
            .toList();
    for (WriteGrant grant : due) {
      if (underWay >= MAX_AT_ONCE) {
        return;
      }
      begin(grant, nowNanos);
    }
  }

  private boolean isDue(ObjectId object, long nowNanos) {
    Attempts known = attempts.computeIfAbsent(object, key -> new Attempts(nowNanos));
    return !known.underWay && nowNanos - known.notBeforeNanos >= 0;
  }

  private void begin(WriteGrant grant, long nowNanos) {
    attempts.get(grant.object()).underWay = true;
    underWay++;
    var unused =
        files
            .begin(grant)
            .thenCompose(
                cut ->
                    cut(cut)
                        .thenComposeAsync(nothing -> files.finish(cut), home)
                        .thenAccept(lsn -> said(cut)))
            .whenCompleteAsync((nothing, failure) -> ended(grant, nowNanos, failure), home);
  }

  /**
   * A component that its OSD itself calls damaged is done without from now on, as it is where a
   * client writes (P 5.8). Else no attempt would ever end, and the file could never be written or
   * rebuilt. The attempt has failed all the same.
   */
  private CompletableFuture<Void> cut(CutFiles.Cut cut) {
    Queue<ComponentFailure> failed = new ConcurrentLinkedQueue<>();
    return cutter
        .cut(cut, failed::add)
        .exceptionallyComposeAsync(
            thrown ->
                withoutDamaged(cut, failed)
                    .thenCompose(marked -> CompletableFuture.failedFuture(thrown)),
            home);
  }

  /** One after another, since the file may not bear the loss of all of them. */
  private CompletableFuture<?> withoutDamaged(
      CutFiles.Cut cut, Collection<ComponentFailure> failed) {
    CompletableFuture<?> marked = CompletableFuture.completedFuture(null);
    for (ComponentFailure each : failed) {
      if (each.cause().code().isOfMedium()) {
        LOG.warn(
            "object {} goes without component {} on OSD {}, which failed while a truncation was finished",
            cut.object(),
            each.componentIndex(),
            each.osd(),
            each.cause());
        marked = marked.thenCompose(before -> files.lose(cut, each.osd()));
      }
    }
    return marked;
  }

  private static void said(CutFiles.Cut cut) {
    LOG.info(
        "object {}: its truncation to {} bytes, which its writer left, is finished",
        cut.object(),
        cut.sizeBytes());
  }

  private void ended(WriteGrant grant, long begunNanos, Throwable failure) {
    underWay--;
    Attempts known = attempts.get(grant.object());
    known.underWay = false;
    // Not before: a resolve beside the truncation would decide about writes that are on their way.
    files.ended(grant);
    if (failure == null) {
      attempts.remove(grant.object());
      return;
    }
    String problem = WeftException.of(failure).getMessage();
    if (!problem.equals(known.problem)) {
      LOG.warn("the truncation of object {} is not finished yet: {}", grant.object(), problem);
    }
    known.problem = problem;
    known.notBeforeNanos = begunNanos + RETRIES.exactNanos(++known.failures);
  }

  /** OSDs have come or gone: what failed is tried again at once. */
  public void clusterChanged(long nowNanos) {
    for (Attempts known : attempts.values()) {
      known.notBeforeNanos = nowNanos;
      known.failures = 0;
    }
  }

  /** The wait of the first file whose truncation cannot be finished. */
  public Optional<String> problem() {
    return attempts.values().stream()
        .map(known -> known.problem)
        .filter(problem -> !problem.isEmpty())
        .findFirst();
  }
}
