package org.weft.metadata.objects.flush;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.OsdTrouble;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.LaggingCopies.Lag;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Brings lagging copies up to date when their OSD is back. From the moment a copy begins to catch
 * up, rounds write to it again. What they do not write is copied from the others. An OSD keeps what
 * is newer, so the order does not matter. A copy is cleared when all of that is under a checkpoint
 * of the same incarnation. Confined to the volume's thread.
 */
final class CatchUp {
  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
  private static final ObjectId NO_OBJECT = new ObjectId(0);
  private static final int COPIES_AT_ONCE = 256;
  private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final FlushContext context;
  private final CheckpointWatch checkpoints;
  private final LagJournal lags;
  private final CopyRefresh refresh;
  private final Progress progress;
  private final SortedSet<OsdId> busy = new TreeSet<>();
  private final SortedMap<OsdId, ObjectId> reached = new TreeMap<>();
  private final SortedMap<OsdId, String> troubles = new TreeMap<>();
  private boolean closed;

  /** How far flushing is. */
  interface Progress {
    /** Records up to it are on disk. */
    Lsn durable();

    /** Completes when records up to the LSN are on disk. */
    CompletionStage<Void> becomesDurable(Lsn lsn);

    /** Completes when all that is applied now is on all copies that do not lag. */
    CompletionStage<Void> flushed();
  }

  CatchUp(
      FlushContext context,
      CheckpointWatch checkpoints,
      LagJournal lags,
      ObjectLoader loader,
      Progress progress) {
    this.context = context;
    this.checkpoints = checkpoints;
    this.lags = lags;
    this.progress = progress;
    this.refresh = new CopyRefresh(context, loader, progress::becomesDurable);
  }

  /**
   * Begins with every OSD that is back and has lagging copies, once redo is done with all copies.
   */
  void look() {
    if (context.cache().isReplaying()) {
      return;
    }
    for (OsdId osd : context.cache().lagging().osds()) {
      if (!closed
          && !busy.contains(osd)
          && !context.states().isDown(osd)
          && checkpoints.knows(osd)) {
        begin(osd);
      }
    }
  }

  /** OSDs that are there and cannot be brought up to date. */
  SortedMap<OsdId, Waiting> waiting() {
    SortedMap<OsdId, Waiting> waiting = new TreeMap<>();
    List<OsdId> lagging = context.cache().lagging().osds();
    troubles.keySet().retainAll(lagging);
    for (OsdId osd : lagging) {
      if (context.states().isDown(osd) || context.cache().isReplaying()) {
        continue;
      }
      if (!checkpoints.knows(osd)) {
        waiting.put(osd, new Waiting("OSD " + osd + " does not say which start it is", 0));
      } else if (troubles.containsKey(osd)) {
        waiting.put(osd, new Waiting(troubles.get(osd), 0));
      }
    }
    return waiting;
  }

  private void begin(OsdId osd) {
    List<Lag> chosen = choose(osd);
    if (chosen.isEmpty()) {
      return;
    }
    busy.add(osd);
    for (Lag lag : chosen) {
      if (lag.effect().kind() == LaggingKind.REFRESH) {
        context.cache().lagging().startCatchingUp(osd, lag.effect().object());
      }
    }
    long incarnation = checkpoints.incarnation(osd);
    // The round under way was planned without these copies: what it brings to the others is read
    // there, once it is there.
    var unused =
        progress
            .flushed()
            .thenCompose(flushed -> refreshAll(osd, chosen, incarnation))
            // What was read there may be newer than what rounds have brought here so far.
            .thenCompose(done -> progress.flushed().thenApply(flushed -> done))
            .thenCompose(done -> makeDurable(osd, incarnation, done))
            .whenComplete((done, failure) -> ended(osd, chosen, done, failure));
  }

  /**
   * The copies that are complete and under a checkpoint: none if the OSD has restarted meanwhile.
   */
  private CompletionStage<List<Lag>> makeDurable(OsdId osd, long incarnation, List<Lag> done) {
    return context
        .port()
        .checkpoint(osd)
        .thenCompose(durable -> context.port().status(osd))
        .thenApply(state -> state.incarnation() == incarnation ? done : List.<Lag>of());
  }

  /**
   * The next copies behind those of the last time, so that a copy that cannot be helped holds up no
   * other.
   */
  private List<Lag> choose(OsdId osd) {
    ObjectId after = reached.getOrDefault(osd, NO_OBJECT);
    List<Lag> next = context.cache().lagging().of(osd, after, COPIES_AT_ONCE);
    if (next.isEmpty()) {
      next = context.cache().lagging().of(osd, NO_OBJECT, COPIES_AT_ONCE);
    }
    List<Lag> chosen = new ArrayList<>();
    for (Lag lag : next) {
      reached.put(osd, lag.effect().object());
      if (lag.isDurable(progress.durable())) {
        chosen.add(lag);
      }
    }
    return chosen;
  }

  /**
   * One after the other: catching up must not get in the way. Gives those that succeeded: one whose
   * source cannot be read holds up no other.
   */
  private CompletionStage<List<Lag>> refreshAll(OsdId osd, List<Lag> chosen, long incarnation) {
    CompletionStage<List<Lag>> done = CompletableFuture.completedStage(new ArrayList<>());
    for (Lag lag : chosen) {
      done =
          done.thenCompose(
              refreshed ->
                  isCurrent(lag)
                      ? refresh
                          .refresh(lag, incarnation)
                          .handle((complete, failure) -> isComplete(osd, lag, complete, failure))
                          .thenApply(
                              complete -> {
                                if (complete) {
                                  refreshed.add(lag);
                                }
                                return refreshed;
                              })
                      : CompletableFuture.completedStage(refreshed));
    }
    return done;
  }

  /** Where the OSD itself cannot be reached the others need not be tried. */
  private static boolean isComplete(OsdId osd, Lag lag, Boolean complete, Throwable failure) {
    if (failure == null) {
      return complete;
    }
    if (OsdTrouble.osdIn(failure).equals(Optional.of(osd))) {
      throw new CompletionException(failure);
    }
    LOG.info(
        "object {} is not brought to OSD {} yet: {}",
        lag.effect().object(),
        osd,
        WeftException.of(failure).getMessage());
    return false;
  }

  private boolean isCurrent(Lag lag) {
    return !closed
        && context.cache().lagging().find(lag.effect().osd(), lag.effect().object()) == lag;
  }

  private void ended(OsdId osd, List<Lag> chosen, List<Lag> done, Throwable failure) {
    if (closed) {
      return;
    }
    if (failure != null) {
      LOG.debug("OSD {} does not catch up yet: {}", osd, WeftException.of(failure).getMessage());
    }
    if (failure != null && OsdTrouble.osdIn(failure).equals(Optional.of(osd))) {
      troubles.put(osd, WeftException.of(failure).getMessage());
    } else {
      troubles.remove(osd);
    }
    if (failure != null || done.size() < chosen.size()) {
      checkpoints.doubt(osd);
    }
    List<Lag> complete = failure == null ? done : List.of();
    for (Lag lag : chosen) {
      if (complete.contains(lag)) {
        lags.cleared(lag);
      } else if (isCurrent(lag)) {
        context.cache().lagging().stopCatchingUp(osd, lag.effect().object());
      }
    }
    lags.pump();
    // A pause also lets the records be applied that clear what has succeeded.
    boolean all = complete.size() == chosen.size();
    context.later(all ? SHORT_PAUSE_NANOS : PAUSE_NANOS, () -> next(osd));
  }

  private void next(OsdId osd) {
    busy.remove(osd);
    look();
  }

  void close() {
    closed = true;
  }
}
