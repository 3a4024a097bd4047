package org.weft.metadata.objects.flush;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.cache.FlushItem;
import org.weft.metadata.objects.cache.FlushItem.Phase;
import org.weft.metadata.objects.cache.FlushRound;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Sends one round to its copies: all attributes, then all directories, then all removals (P 6.3),
 * each OSD at its own pace within a phase. A copy on an OSD that is down is left behind, once
 * another copy has taken the same. Confined to the volume's thread.
 */
final class RoundRun {
  private static final Logger LOG = LoggerFactory.getLogger(RoundRun.class);

  /** How often an OSD that is up may refuse the same thing before its copy is left behind. */
  private static final int PATIENCE = 5;

  /** What happens around a run. */
  interface Events {
    /** The OSD's incarnation is known, so that its promises can be believed; else learns it. */
    boolean knows(OsdId osd);

    /** The newest known incarnation. */
    long incarnation(OsdId osd);

    /** The OSD did not do as it was asked: it may have started again. */
    void doubts(OsdId osd);

    /** An OSD has no room for what it is to remember of the file's grants. */
    void crowded(ObjectId object);

    void fenced(WeftException refusal);

    /** Everything has been taken, or left behind. */
    void finished(RoundRun run);
  }

  private final FlushRound round;
  private final FlushContext context;
  private final LagJournal lags;
  private final Events events;
  private final SortedMap<OsdId, CopyLane> lanes = new TreeMap<>();
  private final Map<CopyWrite, Integer> refusals = new HashMap<>();
  private Phase phase = Phase.ATTRIBUTES;
  private Optional<ObjectId> crowded = Optional.empty();
  private boolean started;
  private boolean cutShort;
  private boolean ended;

  RoundRun(FlushRound round, FlushContext context, LagJournal lags, Events events) {
    this.round = round;
    this.context = context;
    this.lags = lags;
    this.events = events;
  }

  FlushRound round() {
    return round;
  }

  void start() {
    started = true;
    tellLags(Phase.ATTRIBUTES);
    tellLags(Phase.DIRECTORIES);
    if (cutShort) {
      pump();
    } else {
      startPhase();
    }
  }

  boolean isStarted() {
    return started;
  }

  private void startPhase() {
    if (phase == Phase.REMOVALS) {
      // Not earlier: a copy may be caught up, that is removed, at once.
      tellLags(phase);
    }
    for (FlushItem item : round.itemsOf(phase)) {
      item.targets().forEach(osd -> lanes.computeIfAbsent(osd, CopyLane::new).add(item));
    }
    pump();
  }

  private void tellLags(Phase ofPhase) {
    for (FlushItem item : round.itemsOf(ofPhase)) {
      item.mustLag().forEach(osd -> lags.added(item.laggingOn(osd)));
    }
    lags.pump();
  }

  /**
   * An OSD has started again and may have lost what this round builds on. What is under way ends,
   * and nothing more leaves. Later parts of the round rely on earlier ones. The round's owner plans
   * all of it again.
   */
  void cutShort() {
    cutShort = true;
    lanes.values().forEach(CopyLane::clear);
    pump();
  }

  /** Sends what can be sent; to be called again when OSDs change their state. */
  void pump() {
    if (!started || ended) {
      return;
    }
    for (CopyLane lane : List.copyOf(lanes.values())) {
      pump(lane);
    }
    if (!ended && lanes.values().stream().allMatch(CopyLane::isDone)) {
      nextPhase();
    }
  }

  private void nextPhase() {
    if (cutShort || phase == Phase.REMOVALS) {
      ended = true;
      events.finished(this);
    } else {
      phase = Phase.values()[phase.ordinal() + 1];
      lanes.clear();
      startPhase();
    }
  }

  private void pump(CopyLane lane) {
    if (lane.isWaiting() && context.states().isDown(lane.osd())) {
      leaveBehind(lane);
      return;
    }
    while (!ended && lane.maySend() && events.knows(lane.osd())) {
      send(lane, lane.takeBatch());
    }
  }

  /** The OSD is down: its copies lag, as far as there are others that do not. */
  private void leaveBehind(CopyLane lane) {
    List<FlushItem> kept = new ArrayList<>();
    for (FlushItem item : lane.takeAll()) {
      if (context.mayLag(item, lane.osd())) {
        giveUp(item, lane.osd());
      } else {
        kept.add(item);
      }
    }
    lane.putBack(kept);
    lags.pump();
  }

  private void giveUp(FlushItem item, OsdId osd) {
    context.leaveBehind(item, osd, lags);
  }

  private void send(CopyLane lane, List<FlushItem> batch) {
    long incarnation = events.incarnation(lane.osd());
    boolean lossy = context.states().mayHaveLostWrites(lane.osd(), incarnation);
    List<CopyWrite> writes =
        batch.stream()
            .map(item -> item.writeFor(lane.osd()))
            .map(write -> lossy ? write.withoutCompletions() : write)
            .toList();
    var unused =
        context
            .port()
            .write(lane.osd(), incarnation, writes, round.stamp())
            .whenComplete((outcomes, failure) -> answered(lane, batch, outcomes, failure));
  }

  private void answered(
      CopyLane lane, List<FlushItem> batch, List<CopyOutcome> outcomes, Throwable failure) {
    lane.answered();
    if (ended) {
      return;
    }
    List<FlushItem> again = new ArrayList<>();
    if (failure != null) {
      WeftException cause = WeftException.of(failure);
      noteTrouble(lane, cause);
      batch.forEach(item -> refused(lane.osd(), item, cause, again));
    } else {
      for (int index = 0; index < batch.size(); index++) {
        CopyOutcome outcome = outcomes.get(index);
        if (outcome.refusal() == null) {
          batch.get(index).taken(lane.osd(), outcome.pendingCheckpoint());
        } else {
          noteTrouble(lane, outcome.refusal());
          refused(lane.osd(), batch.get(index), outcome.refusal(), again);
        }
      }
    }
    if (again.isEmpty()) {
      lane.succeeded();
    } else if (!cutShort) {
      lane.putBack(again);
      events.doubts(lane.osd());
      context.later(lane.pause(context.random()), () -> resume(lane));
    }
    Optional<ObjectId> tooMany = crowded;
    crowded = Optional.empty();
    tooMany.ifPresent(events::crowded);
    lags.pump();
    pump();
  }

  private static void noteTrouble(CopyLane lane, WeftException why) {
    if (why.code().isOfServer()) {
      lane.failed(why.getMessage());
    }
  }

  /** OSDs that do not take what they are to have. */
  SortedMap<OsdId, Waiting> waiting() {
    SortedMap<OsdId, Waiting> waiting = new TreeMap<>();
    for (CopyLane lane : lanes.values()) {
      if (!lane.isDone() && !lane.problem().isEmpty()) {
        waiting.put(lane.osd(), new Waiting(lane.problem(), lane.successes()));
      } else if (lane.maySend() && !events.knows(lane.osd())) {
        waiting.put(
            lane.osd(),
            new Waiting("OSD " + lane.osd() + " does not say which start it is", lane.successes()));
      }
    }
    return waiting;
  }

  private void resume(CopyLane lane) {
    lane.endPause();
    pump();
  }

  private void refused(OsdId osd, FlushItem item, WeftException why, List<FlushItem> again) {
    switch (why.code()) {
      case FENCED -> {
        ended = true;
        events.fenced(why);
      }
      // The object was removed there: nothing newer than that can be in this round.
      case TOMBSTONE -> item.givenUp(osd);
      case BUSY -> {
        again.add(item);
        if (refusals.merge(item.writeFor(osd), 1, Integer::sum) == PATIENCE) {
          LOG.warn("metadata of object {} waits: {}", item.object(), why.getMessage());
          crowded = Optional.of(item.object());
        }
      }
      // The OSD does not know the volume yet.
      case NO_SUCH_PARTITION -> again.add(item);
      default -> {
        if (why.code().isNoAnswer()) {
          again.add(item);
        } else {
          notTaken(osd, item, why, again);
        }
      }
    }
  }

  private void notTaken(OsdId osd, FlushItem item, WeftException why, List<FlushItem> again) {
    int count = refusals.merge(item.writeFor(osd), 1, Integer::sum);
    if (count == 1) {
      LOG.warn("metadata of object {} was not taken: {}", item.object(), why.getMessage());
    }
    if (count >= PATIENCE && context.mayLag(item, osd)) {
      giveUp(item, osd);
    } else {
      again.add(item);
    }
  }

  /** Sends nothing any more. */
  void stop() {
    ended = true;
  }
}
