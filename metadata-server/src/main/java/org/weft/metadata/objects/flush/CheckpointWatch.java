package org.weft.metadata.objects.flush;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.objects.OsdPort.CheckpointState;
import org.weft.metadata.objects.cache.FlushItem;
import org.weft.metadata.objects.cache.FlushRound;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;

/**
 * Rounds that every copy has taken, until a checkpoint covers them (P 5.9, 6.3). A promise of an
 * OSD counts only while its incarnation stays the one that was known before the write was sent. A
 * restart may have lost what was promised. Confined to the volume's thread.
 */
final class CheckpointWatch {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointWatch.class);

  /**
   * After so many looks an OSD that has not kept its promise of a checkpoint is asked to make one.
   */
  private static final int PATIENCE = 12;

  /**
   * How many looks an OSD may stay at one checkpoint while more is waited for. That is 20 s where
   * operations wait for room soon, and two minutes elsewhere, since disks may be slow.
   */
  private static final int LATE = 240;

  private static final int LATE_IN_A_HURRY = 40;

  /** How long an OSD has been at one checkpoint of one start. */
  private record Standstill(CheckpointState at, int looks) {}

  /** What follows from what OSDs say. */
  interface Events {
    /** The incarnation of an OSD is known now. */
    void known(OsdId osd);

    /** The OSD has started anew: what it has not under a checkpoint may be lost. */
    void restarted(OsdId osd);

    /** Some rounds may be complete. */
    void progressed();
  }

  private final FlushContext context;
  private final LagJournal lags;
  private final Events events;
  private final Deque<Promised> waiting = new ArrayDeque<>();
  private final Map<OsdId, CheckpointState> known = new HashMap<>();
  private final Set<OsdId> asking = new HashSet<>();

  /**
   * OSDs to be asked for a checkpoint once they have answered, since their present one may come too
   * early.
   */
  private final Set<OsdId> tellAgain = new HashSet<>();

  private final Map<OsdId, Integer> looks = new HashMap<>();
  private final Map<OsdId, Standstill> standstills = new HashMap<>();
  private final Map<OsdId, String> problems = new HashMap<>();
  private boolean closed;

  /**
   * A round and, for each OSD, the latest checkpoint that one of its copies waits for. A round has
   * thousands of copies, and is looked at whenever a record is durable.
   */
  private static final class Promised {
    private final FlushRound round;
    private SortedMap<OsdId, Long> checkpoints;

    Promised(FlushRound round) {
      this.round = round;
      count();
    }

    private void count() {
      SortedMap<OsdId, Long> latest = new TreeMap<>();
      for (FlushItem item : round.items()) {
        item.pendingCheckpoints()
            .forEach((osd, checkpoint) -> latest.merge(osd, checkpoint, Promised::later));
      }
      checkpoints = latest;
    }

    private static Long later(Long one, Long other) {
      return Long.compareUnsigned(one, other) >= 0 ? one : other;
    }
  }

  CheckpointWatch(FlushContext context, LagJournal lags, Events events) {
    this.context = context;
    this.lags = lags;
    this.events = events;
  }

  /** True if the OSD's incarnation is known; else asks for it. */
  boolean knows(OsdId osd) {
    if (!known.containsKey(osd)) {
      ask(osd, false);
      return false;
    }
    return true;
  }

  /** The newest known incarnation; the OSD must be known. */
  long incarnation(OsdId osd) {
    return known.get(osd).incarnation();
  }

  /** Asks whether the OSD is still the same. */
  void doubt(OsdId osd) {
    ask(osd, false);
  }

  /** A round that every copy has taken, or been left behind with. */
  void add(FlushRound round) {
    waiting.addLast(new Promised(round));
  }

  /** Rounds that are not under a checkpoint, oldest first; they are not waited for any more. */
  List<FlushRound> takeAll() {
    List<FlushRound> all = new ArrayList<>();
    waiting.forEach(promised -> all.add(promised.round));
    waiting.clear();
    return all;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Asks every OSD that is waited for; to be called now and then.
   *
   * @param hurry each OSD is asked to make a checkpoint at once
   */
  void look(boolean hurry) {
    SortedSet<OsdId> awaited = awaited();
    looks.keySet().retainAll(awaited);
    for (OsdId osd : awaited) {
      if (context.states().isDown(osd)) {
        leaveBehind(osd);
      } else {
        boolean tell = looks.merge(osd, 1, Integer::sum) % PATIENCE == 0;
        ask(osd, hurry || tell);
      }
    }
    lags.pump();
  }

  /**
   * OSDs that do not come to the checkpoints which they promised; to be called twice a second.
   *
   * @param hurry operations wait for room soon, or do already
   */
  SortedMap<OsdId, Waiting> late(boolean hurry) {
    SortedSet<OsdId> awaited = awaited();
    standstills.keySet().retainAll(awaited);
    SortedMap<OsdId, Waiting> late = new TreeMap<>();
    for (OsdId osd : awaited) {
      CheckpointState state = known.get(osd);
      Standstill before = standstills.get(osd);
      boolean still = before != null && Objects.equals(before.at(), state);
      Standstill now = new Standstill(state, still ? before.looks() + 1 : 0);
      standstills.put(osd, now);
      if (now.looks() >= (hurry ? LATE_IN_A_HURRY : LATE)) {
        long reached = state == null ? 0 : state.durableCheckpoint();
        String problem =
            problems.getOrDefault(
                osd, "OSD " + osd + " does not come further than its checkpoint " + reached);
        late.put(osd, new Waiting(problem, reached));
      }
    }
    return late;
  }

  private SortedSet<OsdId> awaited() {
    SortedSet<OsdId> osds = new TreeSet<>();
    for (Promised promised : waiting) {
      promised.checkpoints.forEach(
          (osd, checkpoint) -> {
            if (isOpen(osd, checkpoint)) {
              osds.add(osd);
            }
          });
    }
    return osds;
  }

  private boolean isOpen(OsdId osd, long checkpoint) {
    CheckpointState state = known.get(osd);
    return state == null || Long.compareUnsigned(state.durableCheckpoint(), checkpoint) < 0;
  }

  /** The OSD took what it may lose and is down: its copies lag, as far as others do not. */
  private void leaveBehind(OsdId osd) {
    for (Promised promised : waiting) {
      Long latest = promised.checkpoints.get(osd);
      if (latest == null || !isOpen(osd, latest)) {
        continue;
      }
      for (FlushItem item : promised.round.items()) {
        Long checkpoint = item.pendingCheckpoints().get(osd);
        if (checkpoint != null && isOpen(osd, checkpoint) && context.mayLag(item, osd)) {
          context.leaveBehind(item, osd, lags);
        }
      }
      promised.count();
    }
  }

  /** Oldest rounds of which all promises are kept; they are not waited for any more. */
  List<FlushRound> takeSettled() {
    List<FlushRound> settled = new ArrayList<>();
    while (!waiting.isEmpty() && isKept(waiting.getFirst())) {
      settled.add(waiting.removeFirst().round);
    }
    return settled;
  }

  private boolean isKept(Promised promised) {
    for (Map.Entry<OsdId, Long> open : promised.checkpoints.entrySet()) {
      if (isOpen(open.getKey(), open.getValue())) {
        return false;
      }
    }
    return true;
  }

  private void ask(OsdId osd, boolean checkpointFirst) {
    if (closed || context.states().isDown(osd)) {
      return;
    }
    if (!asking.add(osd)) {
      if (checkpointFirst) {
        tellAgain.add(osd);
      }
      return;
    }
    var unused =
        (checkpointFirst
                ? context.port().checkpoint(osd).thenCompose(done -> context.port().status(osd))
                : context.port().status(osd))
            .whenComplete((state, failure) -> heard(osd, state, failure));
  }

  private void heard(OsdId osd, CheckpointState state, Throwable failure) {
    asking.remove(osd);
    boolean tell = tellAgain.remove(osd);
    if (closed) {
      return;
    }
    if (failure != null) {
      LOG.debug("OSD {} does not tell its checkpoint: {}", osd, failure.toString());
      problems.put(osd, String.valueOf(WeftException.of(failure).getMessage()));
      return;
    }
    problems.remove(osd);
    CheckpointState before = known.put(osd, state);
    if (before == null) {
      events.known(osd);
    } else if (before.incarnation() != state.incarnation()) {
      LOG.info("OSD {} has started again: what it may have lost is flushed again", osd);
      events.restarted(osd);
    }
    events.progressed();
    if (tell && awaited().contains(osd)) {
      ask(osd, true);
    }
  }

  void close() {
    closed = true;
  }
}
