package org.weft.it.nfs;

import java.util.Arrays;

/** Which program has which cell, as all of them believe. Thread-safe. */
final class LockedCells {
  static final int CELLS = 6;

  private final String[] holders = new String[CELLS];
  private final long[] counts = new long[CELLS];

  /** A program has locked it. */
  synchronized void take(int cell, String holder) throws ProgramError {
    if (holders[cell] != null) {
      throw new ProgramError(
          holder + " is granted cell " + cell + " that " + holders[cell] + " has");
    }
    holders[cell] = holder;
  }

  /** What stands in it must be what its last holder wrote. */
  synchronized void check(int cell, long found, String holder) throws ProgramError {
    if (counts[cell] != found) {
      throw new ProgramError(
          "cell %d holds %d in place of %d, says %s".formatted(cell, found, counts[cell], holder));
    }
  }

  /** Just before it unlocks the cell, in which it wrote this. */
  synchronized void leave(int cell, long written, String holder) throws ProgramError {
    lapse(cell, holder);
    counts[cell] = written;
  }

  /** It has learned that it has the cell no more. */
  synchronized void lapse(int cell, String holder) throws ProgramError {
    if (!holder.equals(holders[cell])) {
      throw new ProgramError(holder + " leaves cell " + cell + " of " + Arrays.toString(holders));
    }
    holders[cell] = null;
  }
}
