package org.weft.it.nfs;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which program has which cell, as all of them believe. A lock whose gateway was away for too long
 * may have lapsed: NFS version 3 does not tell the program. Thread-safe.
 */
final class LockedCells {
  static final int CELLS = 6;

  /** Locks are kept for 45 s when a gateway is gone. */
  private static final long SURELY_KEPT_NANOS = TimeUnit.SECONDS.toNanos(40);

  /** After a lapse: the program may have written or not. */
  private static final long UNKNOWN = -1;

  /** Longer than locks of a gateway that is gone are kept, and than a session lasts. */
  private static final long SURELY_FREE_NANOS = TimeUnit.SECONDS.toNanos(120);

  private static final long NEVER = Long.MIN_VALUE;

  /** Programs whose LOCK or UNLOCK of a cell is under way: its holder is not known meanwhile. */
  private final int[] asking = new int[CELLS];

  /** When a cell that is free was denied first, while no call was under way. */
  private final long[] deniedNanos = new long[CELLS];

  private final String[] holders = new String[CELLS];
  private final long[] confirmedNanos = new long[CELLS];
  private final long[] counts = new long[CELLS];
  private final LongSupplier clock;

  /**
   * @param clock monotonic, in nanoseconds
   */
  LockedCells(LongSupplier clock) {
    this.clock = clock;
    Arrays.fill(deniedNanos, NEVER);
  }

  /** A LOCK or UNLOCK is sent. */
  synchronized void asks(int cell) {
    asking[cell]++;
  }

  /** It was answered, and the answer is known here. */
  synchronized void answered(int cell) {
    asking[cell]--;
  }

  /**
   * A program was denied a cell; its own call counts as under way still.
   *
   * @throws ProgramError if no program has it, and none had it for longer than any lock is kept
   */
  synchronized void denied(int cell, String name) throws ProgramError {
    if (holders[cell] != null) {
      deniedNanos[cell] = NEVER;
    } else if (asking[cell] == 1) {
      long now = clock.getAsLong();
      if (deniedNanos[cell] == NEVER) {
        deniedNanos[cell] = now;
      } else if (now - deniedNanos[cell] > SURELY_FREE_NANOS) {
        throw new ProgramError(name + " is denied cell " + cell + " that no program has");
      }
    }
  }

  /** A program has locked it. */
  synchronized void take(int cell, String holder) throws ProgramError {
    if (holders[cell] != null) {
      if (!mayHaveLapsed(cell)) {
        throw new ProgramError(
            holder + " is granted cell " + cell + " that " + holders[cell] + " has");
      }
      counts[cell] = UNKNOWN;
    }
    holders[cell] = holder;
    deniedNanos[cell] = NEVER;
    confirm(cell, holder);
  }

  private boolean mayHaveLapsed(int cell) {
    return clock.getAsLong() - confirmedNanos[cell] > SURELY_KEPT_NANOS;
  }

  /** Its holder knows that its gateway is there, or was given it again. */
  synchronized void confirm(int cell, String holder) {
    if (holder.equals(holders[cell])) {
      confirmedNanos[cell] = clock.getAsLong();
    }
  }

  /** What stands in it must be what its last holder wrote. */
  synchronized void check(int cell, long found, String holder) throws ProgramError {
    if (counts[cell] == UNKNOWN) {
      counts[cell] = found;
    }
    if (counts[cell] != found) {
      throw new ProgramError(
          "cell %d holds %d in place of %d, says %s".formatted(cell, found, counts[cell], holder));
    }
  }

  /** Just before it unlocks the cell, in which it wrote this. */
  synchronized void leave(int cell, long written, String holder) {
    if (holder.equals(holders[cell])) {
      holders[cell] = null;
      counts[cell] = written;
    } else {
      // It lapsed, and another program has it, as that one was told.
      counts[cell] = UNKNOWN;
    }
  }

  /**
   * Its holder could not reclaim it.
   *
   * @throws ProgramError if it must have been kept
   */
  synchronized void lapse(int cell, String holder, String why) throws ProgramError {
    if (holder.equals(holders[cell])) {
      if (!mayHaveLapsed(cell)) {
        throw new ProgramError(holder + " cannot reclaim cell " + cell + ": " + why);
      }
      holders[cell] = null;
    }
    counts[cell] = UNKNOWN;
  }
}
