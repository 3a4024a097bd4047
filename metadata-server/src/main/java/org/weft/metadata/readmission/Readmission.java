package org.weft.metadata.readmission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.Timer;

/**
 * Readmits OSDs in quarantine (P 5.8, 5.9). The steps are the same for each: give up what it may
 * have lost, wait until nothing on it lags any more, tell SysMgr. Every step may be repeated, also
 * by a later manager. Memory only saves repeated steps. Confined to the volume's thread.
 */
public final class Readmission {
  private static final Logger LOG = LoggerFactory.getLogger(Readmission.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** SysMgr has taken the vote. If the OSD still waits after this time, the vote is repeated. */
  private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Copies that are to be refreshed are waited for so long. */
  private static final long MAX_REFRESH_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** A volume that begins to serve waits so long for its OSDs, then serves with those it has. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ComparedVolume volume;
  private final Environment environment;
  private final Executor home;
  private final Set<QuarantinedOsd> lossesGivenUp = new HashSet<>();
  private final Set<QuarantinedOsd> resolving = new HashSet<>();
  private final Map<QuarantinedOsd, Long> notBefore = new HashMap<>();
  private final Map<QuarantinedOsd, Long> since = new HashMap<>();
  private final Set<QuarantinedOsd> busy = new HashSet<>();
  private final TreeMap<OsdId, String> waits = new TreeMap<>();
  private final CompletableFuture<Void> allAreBack = new CompletableFuture<>();
  private long startDeadlineNanos;
  private Timer timer = () -> {};
  private boolean closed;

  /**
   * @param home the volume's thread
   */
  public Readmission(ComparedVolume volume, Environment environment, Executor home) {
    this.volume = volume;
    this.environment = environment;
    this.home = home;
  }

  /**
   * Begins, once everything in the journal is laid over what the OSDs hold. Completes when no OSD
   * waits any more; after a restart of the whole cluster all of them do. Completes as well when
   * that takes too long to keep clients waiting for it.
   */
  public CompletableFuture<Void> start() {
    startDeadlineNanos = now() + START_NANOS;
    look();
    return allAreBack;
  }

  private void look() {
    if (closed) {
      return;
    }
    try {
      lookAtAll();
    } finally {
      // Whatever has failed is tried again: nothing else would look at these OSDs.
      timer = environment.scheduler().schedule(LOOK_NANOS, home, this::look);
    }
  }

  private void lookAtAll() {
    List<QuarantinedOsd> all = volume.quarantined();
    lossesGivenUp.retainAll(all);
    resolving.retainAll(all);
    since.keySet().retainAll(all);
    notBefore.keySet().retainAll(all);
    waits.keySet().retainAll(all.stream().map(QuarantinedOsd::osd).toList());
    long nowNanos = now();
    for (QuarantinedOsd osd : all) {
      if (!busy.contains(osd) && nowNanos - notBefore.getOrDefault(osd, nowNanos) >= 0) {
        tryToAdvance(osd);
      }
    }
    // Files are resolved once the volume is served.
    if (resolving.containsAll(all) || nowNanos - startDeadlineNanos >= 0) {
      allAreBack.complete(null);
    }
  }

  /** One that cannot be advanced keeps no other waiting. */
  private void tryToAdvance(QuarantinedOsd osd) {
    try {
      advance(osd);
    } catch (RuntimeException | Error e) {
      LOG.warn("OSD {} is not compared now", osd.osd(), e);
      failed(osd, WeftException.of(e));
    }
  }

  private void advance(QuarantinedOsd osd) {
    if (osd.lostWrites() && !lossesGivenUp.contains(osd)) {
      run(
          osd,
          volume.giveUpLosses(osd),
          () -> {
            lossesGivenUp.add(osd);
            return 0L;
          });
      return;
    }
    int copies = volume.waitingCopies(osd.osd());
    if (copies > 0 && (volume.waitingRemovals(osd.osd()) > 0 || isRecent(osd))) {
      waits.put(osd.osd(), copies + " objects on it are caught up or removed");
      return;
    }
    long suspect = osd.lostWrites() ? volume.suspectFiles(osd.osd()) : 0;
    if (suspect > 0 && isRecent(osd)) {
      resolving.add(osd);
      waits.put(osd.osd(), suspect + " files that it may lack writes of are being resolved");
      return;
    }
    run(
        osd,
        volume.readmit(osd),
        () -> {
          LOG.info("OSD {} is compared, quarantine {}", osd.osd(), osd.quarantine());
          waits.remove(osd.osd());
          return REPEAT_NANOS;
        });
  }

  /**
   * Copies that no OSD has any more cannot be refreshed, and what an OSD that is away has cannot be
   * compared. They hold up no client for ever: clients read none, and managers pass over them.
   */
  private boolean isRecent(QuarantinedOsd osd) {
    long nowNanos = environment.ticker().nowNanos();
    return nowNanos - since.computeIfAbsent(osd, seen -> nowNanos) < MAX_REFRESH_NANOS;
  }

  /** What follows from a step that succeeded: how long to wait until the next. */
  @FunctionalInterface
  private interface Following {
    long nanos();
  }

  private void run(QuarantinedOsd osd, CompletableFuture<Void> step, Following following) {
    busy.add(osd);
    var unused =
        step.whenCompleteAsync(
            (nothing, failure) -> {
              busy.remove(osd);
              if (failure == null) {
                notBefore.put(osd, now() + following.nanos());
              } else {
                failed(osd, WeftException.of(failure));
              }
            },
            home);
  }

  private void failed(QuarantinedOsd osd, WeftException cause) {
    busy.remove(osd);
    // The table will say what has changed.
    if (cause.code() != ErrorCode.NOT_FOUND) {
      waits.put(osd.osd(), cause.getMessage());
    }
    notBefore.put(osd, now() + RETRY_NANOS);
  }

  /** Sentences on what OSDs in quarantine wait for here. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    waits.forEach(
        (osd, why) ->
            problems.add("OSD " + osd + " waits for its readmission to the volume: " + why));
    return problems;
  }

  /** Does nothing any more. */
  public void close() {
    closed = true;
    timer.cancel();
  }

  private long now() {
    return environment.ticker().nowNanos();
  }
}
