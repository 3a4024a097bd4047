package org.weft.sysmgr.balance;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.OsdId;

/**
 * Says what one round of a balance moves (P 6.8c). Each OSD above the mean gives away a number of
 * its components, whatever their size. The number brings it down to the mean if those components
 * are as large as its others. Nothing else is decided here: which components these are the managers
 * draw, and where each goes.
 *
 * @param spreadPpm how far the worst OSD is from the mean, in millionths of its capacity
 * @param leavePpm of OSDs above the mean, how many of a million components are to leave
 * @param comingBytes of OSDs below the mean, how many bytes they lack
 */
public record BalancePlan(
    int spreadPpm, SortedMap<OsdId, Integer> leavePpm, SortedMap<OsdId, Long> comingBytes) {
  public static final int WHOLE_PPM = 1_000_000;

  /** Nothing moves. */
  public static final BalancePlan NONE = new BalancePlan(0, new TreeMap<>(), new TreeMap<>());

  public BalancePlan {
    leavePpm = Collections.unmodifiableSortedMap(new TreeMap<>(leavePpm));
    comingBytes = Collections.unmodifiableSortedMap(new TreeMap<>(comingBytes));
  }

  /**
   * @param osds that take part: up, and not drained
   */
  public static BalancePlan of(Collection<OsdUsage> osds) {
    double mean = mean(osds);
    double worst = 0;
    SortedMap<OsdId, Integer> leave = new TreeMap<>();
    SortedMap<OsdId, Long> coming = new TreeMap<>();
    for (OsdUsage osd : osds) {
      worst = Math.max(worst, Math.abs(osd.share() - mean));
      long excess = osd.usedBytes() - targetBytes(osd, mean);
      if (excess > 0) {
        int ppm = (int) ((double) excess / osd.usedBytes() * WHOLE_PPM);
        if (ppm > 0) {
          leave.put(osd.osd(), ppm);
        }
      } else if (excess < 0) {
        coming.put(osd.osd(), -excess);
      }
    }
    return new BalancePlan(ppm(worst), leave, coming);
  }

  /** The share that all would have. */
  public static double mean(Collection<OsdUsage> osds) {
    double used = 0;
    double capacity = 0;
    for (OsdUsage osd : osds) {
      used += osd.usedBytes();
      capacity += osd.capacityBytes();
    }
    return capacity == 0 ? 0 : used / capacity;
  }

  /** What the OSD would hold at that share. */
  public static long targetBytes(OsdUsage osd, double mean) {
    return Math.round(mean * osd.capacityBytes());
  }

  public static int ppm(double share) {
    return (int) Math.min(Integer.MAX_VALUE, Math.round(share * WHOLE_PPM));
  }
}
