package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * What owners behind gateways may rely on, cell by cell. Unlike the clients of {@link LockHistory}
 * they do not learn of their session. An owner that was told of a lock has it while the session
 * lives in which it was locked. Then it has the lock for as long as locks are kept, whatever
 * becomes of its gateway. Each reclaim that is granted says that it had it all the time up to then.
 * A relied-on lock is no other owner's, and a reclaim of it is not refused. A lock that was never
 * held is not granted to a reclaim.
 */
public final class ReliedLocks {
  private static final class Cell {
    private LockHistory.Kind kind = LockHistory.Kind.NONE;
    private long sinceNanos;
    private long sureNanos;
    private BooleanSupplier lives = () -> false;

    /** The manager may have something that the owner does not know. */
    private boolean doubted;
  }

  private final int cells;
  private final long keepNanos;
  private final SortedMap<String, Cell[]> owners = new TreeMap<>();
  private final HeldCells holds;
  private final List<BrokenRule> findings = new ArrayList<>();
  private int granted;
  private int reclaimed;
  private int lapsed;
  private int falselyAsked;

  /**
   * @param keepNanos for so long locks are kept whose session has ended
   */
  public ReliedLocks(int cells, long keepNanos) {
    this.cells = cells;
    this.keepNanos = keepNanos;
    holds = new HeldCells(cells);
  }

  private Cell[] of(String owner) {
    return owners.computeIfAbsent(
        owner,
        name -> {
          Cell[] made = new Cell[cells];
          for (int cell = 0; cell < cells; cell++) {
            made[cell] = new Cell();
          }
          return made;
        });
  }

  /** How it believes that it holds them. */
  public LockHistory.Kind kind(String owner, int cell) {
    return of(owner)[cell].kind;
  }

  /**
   * It got an answer that it has them.
   *
   * @param changedNanos when it asked first: what it had before may have changed since
   * @param askedNanos when it asked last
   * @param lives the session in which they are locked goes on, and has them
   */
  public void granted(
      String owner,
      int from,
      int to,
      LockHistory.Kind kind,
      long changedNanos,
      long askedNanos,
      long nowNanos,
      BooleanSupplier lives) {
    granted++;
    for (int cell = from; cell < to; cell++) {
      // What it had before changed somewhere in between.
      end(owner, cell, changedNanos);
      Cell now = of(owner)[cell];
      now.kind = kind;
      now.sinceNanos = nowNanos;
      now.sureNanos = askedNanos + keepNanos;
      now.lives = lives;
    }
  }

  /** To be called often: owners whose sessions live rely on what they have from now on, too. */
  public void look(long nowNanos) {
    for (Cell[] its : owners.values()) {
      for (Cell cell : its) {
        if (cell.kind == LockHistory.Kind.NONE || !cell.lives.getAsBoolean()) {
          // A session that has ended does not come back.
          cell.lives = () -> false;
        } else {
          cell.sureNanos = Math.max(cell.sureNanos, nowNanos + keepNanos);
        }
      }
    }
  }

  /** Locks that were granted. */
  public int granted() {
    return granted;
  }

  /** It asks for them to be unlocked, or it is gone. */
  public void letsGo(String owner, int from, int to, long nowNanos) {
    for (int cell = from; cell < to; cell++) {
      end(owner, cell, nowNanos);
    }
  }

  /** The manager may have executed requests of it whose answers were lost. */
  public void doubts(String owner, int from, int to) {
    for (int cell = from; cell < to; cell++) {
      of(owner)[cell].doubted = true;
    }
  }

  /** By its answer it has had them all the time. */
  public void reclaimed(String owner, int from, int to, long askedNanos, BooleanSupplier lives) {
    reclaimed++;
    for (int cell = from; cell < to; cell++) {
      Cell now = of(owner)[cell];
      if (now.kind != LockHistory.Kind.NONE) {
        now.sureNanos = Math.max(now.sureNanos, askedNanos + keepNanos);
        now.lives = lives;
      }
    }
  }

  /** By its answer it has lost them. */
  public void reclaimRefused(String owner, int from, int to, long nowNanos) {
    lapsed++;
    boolean sure = true;
    for (int cell = from; cell < to; cell++) {
      Cell now = of(owner)[cell];
      sure &= now.kind != LockHistory.Kind.NONE && nowNanos < now.sureNanos;
    }
    if (sure) {
      findings.add(
          new BrokenRule(
              "a lock that is kept for its owner is lost",
              owner + " reclaims cells " + from + " to " + to + " at " + nowNanos));
    }
    letsGo(owner, from, to, nowNanos);
  }

  /** True if the owner has none of them and no manager can have them for it. */
  public boolean areSurelyNotHeld(String owner, int from, int to) {
    for (int cell = from; cell < to; cell++) {
      Cell now = of(owner)[cell];
      if (now.doubted || now.kind != LockHistory.Kind.NONE) {
        return false;
      }
    }
    return true;
  }

  /** It was answered a reclaim of what it has never had. */
  public void falselyReclaimed(String owner, int from, int to, boolean all) {
    falselyAsked++;
    if (all) {
      findings.add(
          new BrokenRule(
              "a lock that was not held is reclaimed",
              owner + " reclaims cells " + from + " to " + to));
    }
  }

  private void end(String owner, int cell, long nowNanos) {
    Cell now = of(owner)[cell];
    long untilNanos = Math.min(nowNanos, now.sureNanos);
    if (now.kind != LockHistory.Kind.NONE && now.sinceNanos < untilNanos) {
      holds.add(cell, owner, now.kind, now.sinceNanos, untilNanos);
    }
    if (now.kind != LockHistory.Kind.NONE && !now.lives.getAsBoolean()) {
      // An UNLOCK at another gateway may leave what is kept of the first one (P 6.5f.4.16).
      now.doubted = true;
    }
    now.kind = LockHistory.Kind.NONE;
  }

  /** Everything that is wrong; nothing is held any more. */
  public List<BrokenRule> check(long nowNanos) {
    owners.keySet().forEach(owner -> letsGo(owner, 0, cells, nowNanos));
    List<BrokenRule> all = new ArrayList<>(findings);
    all.addAll(holds.conflicts("two owners rely on a lock that one may have alone"));
    return all;
  }

  /** What happened, for people. */
  @Override
  public String toString() {
    return granted
        + " granted, "
        + reclaimed
        + " reclaimed, "
        + lapsed
        + " lapsed, "
        + falselyAsked
        + " false reclaims";
  }
}
