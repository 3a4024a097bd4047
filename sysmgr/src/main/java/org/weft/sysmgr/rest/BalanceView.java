package org.weft.sysmgr.rest;

import java.util.List;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.ClusterStatus;

/**
 * The last balance of a BladeSet, as JSON and the page show it.
 *
 * @param state running, paused or ended
 * @param round counting from 1; 0: none is planned yet
 * @param bandPoints how far OSDs may be from the mean, in hundredths of their capacity
 * @param spreadPoints how far the worst was when the round was planned
 * @param words why it ended; empty: it has not
 */
record BalanceView(
    String bladeSet,
    long number,
    String state,
    int round,
    double bandPoints,
    double spreadPoints,
    String words) {
  private static final double PPM_OF_POINT = 10_000;

  static List<BalanceView> all(ClusterStatus status) {
    return status.getTable().getBalancesList().stream().map(BalanceView::of).toList();
  }

  private static BalanceView of(BalanceRow row) {
    return new BalanceView(
        row.getBladeSet(),
        row.getNumber(),
        switch (row.getState()) {
          case BALANCE_RUNNING -> "running";
          case BALANCE_PAUSED -> "paused";
          case BALANCE_ENDED -> "ended";
          case BALANCE_STATE_UNSPECIFIED, UNRECOGNIZED -> "";
        },
        row.getRounds(),
        row.getBandPpm() / PPM_OF_POINT,
        row.getSpreadPpm() / PPM_OF_POINT,
        row.getWords());
  }

  boolean isUnderWay() {
    return state.equals("running") || state.equals("paused");
  }

  /** "Balance of BladeSet default: running, round 2; ...". */
  String sentence() {
    return "Balance of BladeSet %s: %s, round %d; the worst OSD was %.1f points from the mean when it began."
        .formatted(bladeSet, state, round, spreadPoints);
  }
}
