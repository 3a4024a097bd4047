package org.weft.metadata.balance;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.BalanceState;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * A round of the balance of a BladeSet, as the newest table has it. Immutable. Which components it
 * moves follows from its number alone, so a manager that takes over moves the same ones and no
 * others.
 *
 * @param number of the round
 * @param leavePpm of OSDs that still hold more than the mean, how many of a million components
 *     leave
 * @param comingBytes of OSDs that held less, how much they lacked when it was planned
 * @param roomBytes of these OSDs, what each may take before it is above the band
 */
public record BalanceRound(
    long number,
    boolean paused,
    SortedMap<OsdId, Integer> leavePpm,
    SortedMap<OsdId, Long> comingBytes,
    SortedMap<OsdId, Long> roomBytes) {
  private static final int WHOLE_PPM = 1_000_000;
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  public BalanceRound {
    leavePpm = Collections.unmodifiableSortedMap(new TreeMap<>(leavePpm));
    comingBytes = Collections.unmodifiableSortedMap(new TreeMap<>(comingBytes));
    roomBytes = Collections.unmodifiableSortedMap(new TreeMap<>(roomBytes));
  }

  /** Empty if the BladeSet is not being balanced, or no round is planned yet. */
  public static Optional<BalanceRound> of(ClusterTable table, String bladeSet) {
    return table.getBalancesList().stream()
        .filter(row -> row.getBladeSet().equals(bladeSet) && row.getRound() != 0)
        .filter(row -> row.getState() != BalanceState.BALANCE_ENDED)
        .findFirst()
        .map(row -> of(table, row));
  }

  private static BalanceRound of(ClusterTable table, BalanceRow balance) {
    double used = 0;
    double capacity = 0;
    for (OsdRow osd : table.getOsdsList()) {
      if (hasPart(osd, balance)) {
        used += osd.getUsedBytes();
        capacity += osd.getCapacityBytes();
      }
    }
    double mean = capacity == 0 ? 0 : used / capacity;
    double most = mean + (double) balance.getBandPpm() / WHOLE_PPM;
    SortedMap<OsdId, Integer> leave = new TreeMap<>();
    SortedMap<OsdId, Long> coming = new TreeMap<>();
    SortedMap<OsdId, Long> room = new TreeMap<>();
    for (OsdRow osd : table.getOsdsList()) {
      OsdId id = new OsdId(Math.max(1, osd.getOsdId()));
      if (!hasPart(osd, balance)) {
        continue;
      }
      boolean isAbove = osd.getUsedBytes() > mean * osd.getCapacityBytes();
      if (osd.getBalanceLeavePpm() > 0 && isAbove) {
        leave.put(id, osd.getBalanceLeavePpm());
      }
      if (osd.getBalanceComingBytes() > 0) {
        coming.put(id, osd.getBalanceComingBytes());
        room.put(id, (long) (most * osd.getCapacityBytes()) - osd.getUsedBytes());
      }
    }
    return new BalanceRound(
        balance.getRound(), balance.getState() == BalanceState.BALANCE_PAUSED, leave, coming, room);
  }

  private static boolean hasPart(OsdRow osd, BalanceRow balance) {
    return osd.getBladeSet().equals(balance.getBladeSet())
        && !osd.getRemoved()
        && !osd.getDraining()
        && osd.getState() == NodeState.UP;
  }

  /**
   * Whether a component of that OSD is in the sample. Each one is with the same probability,
   * whatever its size, and independently of all others.
   */
  public boolean leaves(OsdId osd, ObjectId object, int component) {
    int ppm = leavePpm.getOrDefault(osd, 0);
    return ppm > 0
        && Long.remainderUnsigned(hash(number, object.value(), component), WHOLE_PPM) < ppm;
  }

  private static long hash(long round, long object, int component) {
    return mixed(mixed(mixed(round * GOLDEN) ^ object) ^ (component + GOLDEN));
  }

  /** The finalizer of SplitMix64: each bit of the input changes half of the output's. */
  private static long mixed(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
