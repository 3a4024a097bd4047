package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.List;

/** When owners held the cells of one file. No two hold a cell at once, unless both share it. */
final class HeldCells {
  private record Hold(String owner, boolean exclusive, long since, long until) {
    boolean conflictsWith(Hold other) {
      return (exclusive || other.exclusive)
          && !owner.equals(other.owner)
          && Math.max(since, other.since) < Math.min(until, other.until);
    }
  }

  private final List<List<Hold>> holds = new ArrayList<>();

  HeldCells(int cells) {
    for (int cell = 0; cell < cells; cell++) {
      holds.add(new ArrayList<>());
    }
  }

  void add(int cell, String owner, LockHistory.Kind kind, long since, long until) {
    holds.get(cell).add(new Hold(owner, kind == LockHistory.Kind.EXCLUSIVE, since, until));
  }

  /** A finding for each two holds of a cell that exclude each other. */
  List<BrokenRule> conflicts(String rule) {
    List<BrokenRule> found = new ArrayList<>();
    for (int cell = 0; cell < holds.size(); cell++) {
      List<Hold> ofCell = holds.get(cell);
      for (int one = 0; one < ofCell.size(); one++) {
        for (int other = one + 1; other < ofCell.size(); other++) {
          if (ofCell.get(one).conflictsWith(ofCell.get(other))) {
            found.add(
                new BrokenRule(
                    rule, "cell " + cell + ": " + ofCell.get(one) + " and " + ofCell.get(other)));
          }
        }
      }
    }
    return found;
  }
}
