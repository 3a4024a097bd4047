package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Answers that owners got about their locks on one file, cell by cell. An owner holds a cell for
 * certain from the moment of the answer until it asks for something else there. That counts only as
 * long as later answers show that its session lived. No two owners hold a cell for certain at the
 * same moment, unless both share it. A cell held for certain is there when it is unlocked.
 */
public final class LockHistory {
  private final int cells;
  private final SortedMap<String, Owner> owners = new TreeMap<>();
  private final HeldCells holds;
  private final List<BrokenRule> findings = new ArrayList<>();
  private boolean made;

  /** How a cell is held. */
  public enum Kind {
    NONE,
    SHARED,
    EXCLUSIVE
  }

  private static final class Owner {
    private final Kind[] kinds;
    private final long[] since;
    private final long[] until;

    /** A manager may have something there that the owner, or one before it, does not know of. */
    private final boolean[] doubted;

    private int from;
    private int to;
    private long begun;
    private boolean asking;

    /** Its locks are not kept any more for sure. */
    private boolean dropped;

    Owner(int cells) {
      kinds = new Kind[cells];
      since = new long[cells];
      until = new long[cells];
      doubted = new boolean[cells];
      Arrays.fill(kinds, Kind.NONE);
    }
  }

  public LockHistory(int cells) {
    this.cells = cells;
    holds = new HeldCells(cells);
  }

  /** The file is there. */
  public void made() {
    made = true;
  }

  public boolean isMade() {
    return made;
  }

  private Owner of(String owner) {
    return owners.computeIfAbsent(owner, name -> new Owner(cells));
  }

  /** The owner asks for something about these cells; one thing at a time. */
  public void asks(String owner, int from, int to, long moment) {
    Owner state = of(owner);
    state.from = from;
    state.to = to;
    state.begun = moment;
    state.asking = true;
  }

  /** It has locked them. */
  public void locked(String owner, Kind kind, long moment) {
    Owner state = of(owner);
    lives(state);
    change(owner, state, kind, moment);
  }

  /** It has unlocked them. */
  public void unlocked(String owner, boolean heldAll, long moment) {
    Owner state = of(owner);
    boolean sure = true;
    for (int cell = state.from; cell < state.to; cell++) {
      sure &= state.kinds[cell] != Kind.NONE;
    }
    if (sure && !heldAll) {
      findings.add(
          new BrokenRule(
              "a lock that was acknowledged is lost",
              owner + " unlocks cells " + state.from + " to " + state.to));
    }
    lives(state);
    change(owner, state, Kind.NONE, moment);
  }

  /** Nothing has changed, and the session lives. */
  public void refused(String owner) {
    lives(of(owner));
  }

  /** It cancelled a lock that it asked for. */
  public void cancelled(String owner, Kind wanted) {
    Owner state = of(owner);
    state.asking = false;
    for (int cell = state.from; cell < state.to; cell++) {
      state.doubted[cell] = true;
      if (state.kinds[cell] == Kind.EXCLUSIVE && wanted == Kind.SHARED) {
        end(owner, state, cell);
      }
    }
  }

  /** Whether it was done is not known. */
  public void inDoubt(String owner) {
    Owner state = of(owner);
    state.asking = false;
    for (int cell = state.from; cell < state.to; cell++) {
      state.doubted[cell] = true;
      end(owner, state, cell);
    }
  }

  /** It holds nothing for sure any more. */
  public void gone(String owner) {
    Owner state = of(owner);
    for (int cell = 0; cell < cells; cell++) {
      end(owner, state, cell);
    }
  }

  /**
   * Its process died, and what it holds is kept for a successor. What it was asking for is in
   * doubt.
   *
   * @return the cells that it holds for sure
   */
  public Kind[] died(String owner) {
    Owner state = of(owner);
    if (state.asking) {
      inDoubt(owner);
    }
    return state.kinds.clone();
  }

  /** Until this moment all was kept for sure; now it may be given to others. */
  public void kept(String owner, long moment) {
    Owner state = of(owner);
    stays(state, 0, cells, moment);
    state.dropped = true;
  }

  private static void stays(Owner state, int from, int to, long moment) {
    for (int cell = from; cell < to; cell++) {
      if (state.kinds[cell] != Kind.NONE) {
        state.until[cell] = Math.max(state.until[cell], moment);
      }
    }
  }

  /**
   * A successor begins. The locks of the dead owner, and those in doubt, may exist under the same
   * key, whatever the successor reclaims.
   */
  public void succeeds(String owner, String dead) {
    Owner state = of(owner);
    Owner left = of(dead);
    for (int cell = 0; cell < cells; cell++) {
      state.doubted[cell] |= left.doubted[cell] || left.kinds[cell] != Kind.NONE;
    }
  }

  /** No manager can have any of the cells under the owner's key. */
  public boolean areSurelyNotHeld(String owner, int from, int to) {
    Owner state = of(owner);
    for (int cell = from; cell < to; cell++) {
      if (state.doubted[cell] || state.kinds[cell] != Kind.NONE) {
        return false;
      }
    }
    return true;
  }

  /**
   * It asked to reclaim what no owner of its key has had, and was answered.
   *
   * @param all the answer was that it had been locked all the time
   */
  public void falselyReclaimed(String owner, boolean all) {
    Owner state = of(owner);
    if (all) {
      findings.add(
          new BrokenRule(
              "a lock that was not held is reclaimed",
              owner + " reclaims cells " + state.from + " to " + state.to));
    }
    lives(state);
  }

  /** A successor asks for what an owner that died had in these cells, as it knows. */
  public void reclaims(String owner, String dead, int from, int to, long moment) {
    asks(owner, from, to, moment);
    Owner left = of(dead);
    if (!left.dropped) {
      stays(left, from, to, moment);
    }
  }

  /**
   * The successor has it; or it has of it what was locked all the time, if anything.
   *
   * @param all the answer was that it had been locked all the time
   */
  public void reclaimed(String owner, String dead, Kind kind, boolean all, long moment) {
    Owner state = of(owner);
    Owner left = of(dead);
    boolean sure = !left.dropped;
    for (int cell = state.from; cell < state.to; cell++) {
      // What is shared is given beside a session that is not over yet, and then not reclaimed.
      sure &= left.kinds[cell] == Kind.EXCLUSIVE;
    }
    if (sure && !all) {
      findings.add(
          new BrokenRule(
              "a lock that is kept for a successor is lost",
              owner + " reclaims cells " + state.from + " to " + state.to + " of " + dead));
    }
    if (all) {
      stays(left, state.from, state.to, moment);
      letGo(owner, dead);
      locked(owner, kind, moment);
    } else {
      letGo(owner, dead);
      inDoubt(owner);
    }
  }

  /** What of the dead owner's the successor has asked for is its own, or in doubt. */
  public void letGo(String owner, String dead) {
    Owner state = of(owner);
    for (int cell = state.from; cell < state.to; cell++) {
      end(dead, of(dead), cell);
    }
  }

  private void lives(Owner state) {
    state.asking = false;
    for (int cell = 0; cell < cells; cell++) {
      if (state.kinds[cell] != Kind.NONE) {
        state.until[cell] = Math.max(state.until[cell], state.begun);
      }
    }
  }

  private void change(String owner, Owner state, Kind kind, long moment) {
    for (int cell = state.from; cell < state.to; cell++) {
      end(owner, state, cell);
      state.kinds[cell] = kind;
      state.since[cell] = moment;
      state.until[cell] = moment;
    }
  }

  private void end(String owner, Owner state, int cell) {
    if (state.kinds[cell] != Kind.NONE && state.since[cell] < state.until[cell]) {
      holds.add(cell, owner, state.kinds[cell], state.since[cell], state.until[cell]);
    }
    state.kinds[cell] = Kind.NONE;
  }

  /** Everything that is wrong. */
  public List<BrokenRule> check() {
    owners.keySet().forEach(this::gone);
    List<BrokenRule> all = new ArrayList<>(findings);
    all.addAll(holds.conflicts("two owners hold a lock that one may have alone"));
    return all;
  }
}
