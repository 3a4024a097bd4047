package org.weft.metadata.recovery;

import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;

/**
 * Brings abandoned files in order, a few at a time, each until it succeeds: with an OSD missing
 * there is nothing to do but wait and say so, for what its component holds may be newer than what
 * the others do (P 5.5). Readers go on with the published length meanwhile; writers are told to
 * wait.
 *
 * <p>Every step may be repeated, also by a later manager. Confined to the volume's thread.
 */
public final class GrantRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(GrantRecovery.class);
  private static final int MOST_AT_ONCE = 4;
  private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How far one file has come. */
  private static final class Attempt {
    private boolean underWay;
    private long notBeforeNanos;
    private long waitNanos = FIRST_WAIT_NANOS;
    private String problem = "";

    Attempt(long nowNanos) {
      notBeforeNanos = nowNanos;
    }
  }

  private final AbandonedFiles files;
  private final VersionRaiser versions;
  private final FileResolver resolver;
  private final Executor home;
  private final TreeMap<Lsn, Attempt> attempts = new TreeMap<>();
  private int underWay;

  /**
   * @param metaCopies components with a smaller index hold attributes
   * @param home the volume's thread
   */
  public GrantRecovery(
      AbandonedFiles files, OsdClient osds, int metaCopies, FileResolver resolver, Executor home) {
    this.files = files;
    this.versions = new VersionRaiser(osds, metaCopies);
    this.resolver = resolver;
    this.home = home;
  }

  /** Looks for something to begin; to be called now and then. */
  public void look(long nowNanos) {
    for (WriteGrant grant : files.waiting()) {
      if (underWay >= MOST_AT_ONCE) {
        return;
      }
      Attempt attempt = attempts.computeIfAbsent(grant.number(), number -> new Attempt(nowNanos));
      if (!attempt.underWay && nowNanos - attempt.notBeforeNanos >= 0) {
        begin(grant, attempt, nowNanos);
      }
    }
  }

  private void begin(WriteGrant grant, Attempt attempt, long nowNanos) {
    attempt.underWay = true;
    underWay++;
    var unused =
        putInOrder(grant)
            .thenComposeAsync(sizeBytes -> files.finish(grant, sizeBytes), home)
            .whenCompleteAsync((lsn, failure) -> ended(grant, attempt, nowNanos, failure), home);
  }

  private CompletableFuture<Long> putInOrder(WriteGrant grant) {
    return files.isNameless(grant)
        ? CompletableFuture.completedFuture(0L)
        : files.begin(grant).thenCompose(begun -> resolve(grant, begun));
  }

  private CompletableFuture<Long> resolve(WriteGrant grant, AbandonedFiles.Begun begun) {
    SignedCapability capability = files.capability(grant, begun.number());
    return versions
        .raise(grant.object(), begun, capability)
        .thenCompose(raised -> resolver.resolve(grant, begun, capability))
        .thenComposeAsync(
            resolved ->
                resolved.createdComponents() == 0
                    ? CompletableFuture.completedFuture(resolved.sizeBytes())
                    // What was just created has no version yet, so the writer may have got in.
                    : putInOrder(grant),
            home);
  }

  private void ended(WriteGrant grant, Attempt attempt, long begunNanos, Throwable failure) {
    attempt.underWay = false;
    underWay--;
    if (failure == null) {
      attempts.remove(grant.number());
      LOG.info(
          "object {} is in order again after {} went away", grant.object(), grant.clientName());
      return;
    }
    String problem = RpcException.of(failure).getMessage();
    if (!problem.equals(attempt.problem)) {
      LOG.warn("object {} waits to be resolved: {}", grant.object(), problem);
    }
    attempt.problem = problem;
    attempt.notBeforeNanos = begunNanos + attempt.waitNanos;
    attempt.waitNanos = Math.min(2 * attempt.waitNanos, MOST_WAIT_NANOS);
  }

  /** OSDs have come or gone: what waits is tried again at once. */
  public void clusterChanged(long nowNanos) {
    for (Attempt attempt : attempts.values()) {
      attempt.notBeforeNanos = nowNanos;
      attempt.waitNanos = FIRST_WAIT_NANOS;
    }
  }

  /** What the oldest of the files that cannot be resolved waits for. */
  public Optional<String> problem() {
    return attempts.values().stream()
        .map(attempt -> attempt.problem)
        .filter(problem -> !problem.isEmpty())
        .findFirst();
  }
}
