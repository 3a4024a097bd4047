package org.weft.simulator.workload;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.check.LockHistory.Kind;
import org.weft.simulator.world.World;

/**
 * Locks that are kept for the successors of clients that died (P 6.5a): what each of them left, as
 * it knew. Some are reclaimed, and others never.
 */
public final class LeftLocks {
  /** One of so many clients after a dead one does not ask for its locks. */
  private static final int CARELESS_OUT_OF = 4;

  private final World world;
  private final Histories histories;
  private final int keepMillis;
  private final SortedMap<String, Deque<Left>> places = new TreeMap<>();

  /** Cells side by side that an owner held in the same way. */
  record Run(int from, int to, Kind kind) {}

  /** What an owner left. */
  static final class Left {
    private final String owner;
    private final String key;
    private final Deque<Run> runs;

    private Left(String owner, String key, List<Run> runs) {
      this.owner = owner;
      this.key = key;
      this.runs = new ArrayDeque<>(runs);
    }

    String owner() {
      return owner;
    }

    String key() {
      return key;
    }

    boolean isThere() {
      return !runs.isEmpty();
    }

    Run next() {
      return runs.element();
    }

    void done(Run run) {
      runs.remove(run);
    }

    /** It comes again after the others. */
    void refused(Run run) {
      runs.remove(run);
      runs.add(run);
    }
  }

  /**
   * @param keepMillis how long locks are kept after their session; 0: not at all
   */
  LeftLocks(World world, Histories histories, int keepMillis) {
    this.world = world;
    this.histories = histories;
    this.keepMillis = keepMillis;
  }

  boolean areKept() {
    return keepMillis > 0;
  }

  public int keepMillis() {
    return keepMillis;
  }

  /**
   * An owner's process has died.
   *
   * @param livedNanos when it asked for what it was answered last: its session lived then
   */
  void leave(String place, String owner, String key, Kind[] kinds, long livedNanos) {
    List<Run> runs = runs(kinds);
    if (!runs.isEmpty()) {
      places.computeIfAbsent(place, made -> new ArrayDeque<>()).add(new Left(owner, key, runs));
    }
    long untilNanos = livedNanos + TimeUnit.MILLISECONDS.toNanos(keepMillis);
    long nanos = untilNanos - histories.nanos();
    world.time().after(nanos, () -> histories.locks().kept(owner, histories.moment()));
  }

  private static List<Run> runs(Kind[] kinds) {
    List<Run> runs = new ArrayList<>();
    int from = 0;
    for (int cell = 1; cell <= kinds.length; cell++) {
      if (cell == kinds.length || kinds[cell] != kinds[from]) {
        if (kinds[from] != Kind.NONE) {
          runs.add(new Run(from, cell, kinds[from]));
        }
        from = cell;
      }
    }
    return runs;
  }

  /** What a successor is to reclaim, if it does. */
  Optional<Left> take(String place, RandomGenerator random) {
    Deque<Left> here = places.get(place);
    if (here == null || here.isEmpty()) {
      return Optional.empty();
    }
    Left first = here.remove();
    return random.nextInt(CARELESS_OUT_OF) == 0 ? Optional.empty() : Optional.of(first);
  }
}
