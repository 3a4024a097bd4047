package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The OSDs of a pool that take something of one size now, in ascending order, and what placement
 * asks of their hosts, counted once. Immutable.
 */
final class UsableOsds {
  private final List<OsdCandidate> osds;
  // For sizes above the first and up to the second these are the OSDs.
  private final long mostFreeBytesOfOthers;
  private final long leastFreeBytes;
  private final int hosts;
  // How many OSDs hosts give if each gives as many as the index at most.
  private final int[] places;

  private UsableOsds(List<OsdCandidate> osds, long mostFreeBytesOfOthers, long leastFreeBytes) {
    this.osds = List.copyOf(osds);
    this.mostFreeBytesOfOthers = mostFreeBytesOfOthers;
    this.leastFreeBytes = leastFreeBytes;
    Map<String, Integer> sizes = new HashMap<>();
    osds.forEach(osd -> sizes.merge(osd.host(), 1, Integer::sum));
    this.hosts = sizes.size();
    this.places = places(List.copyOf(sizes.values()));
  }

  private static int[] places(List<Integer> hostSizes) {
    int largest = hostSizes.stream().mapToInt(Integer::intValue).max().orElse(0);
    int[] hostsOfSize = new int[largest + 1];
    hostSizes.forEach(size -> hostsOfSize[size]++);
    int[] places = new int[largest + 1];
    int atLeast = hostSizes.size();
    for (int each = 1; each <= largest; each++) {
      places[each] = places[each - 1] + atLeast;
      atLeast -= hostsOfSize[each];
    }
    return places;
  }

  static UsableOsds of(List<OsdCandidate> pool, int unitBytes) {
    List<OsdCandidate> usable = new ArrayList<>();
    long mostFreeBytesOfOthers = Long.MIN_VALUE;
    long leastFreeBytes = Long.MAX_VALUE;
    for (OsdCandidate osd : pool) {
      if (osd.takes(unitBytes)) {
        usable.add(osd);
        leastFreeBytes = Math.min(leastFreeBytes, osd.freeBytes());
      } else if (osd.up() && !osd.draining()) {
        mostFreeBytesOfOthers = Math.max(mostFreeBytesOfOthers, osd.freeBytes());
      }
    }
    return new UsableOsds(usable, mostFreeBytesOfOthers, leastFreeBytes);
  }

  /** Whether these are the OSDs that take a unit of that size, too. */
  boolean areThoseFor(int unitBytes) {
    return mostFreeBytesOfOthers < unitBytes && unitBytes <= leastFreeBytes;
  }

  List<OsdCandidate> osds() {
    return osds;
  }

  int size() {
    return osds.size();
  }

  /** How many hosts they are on. */
  int hosts() {
    return hosts;
  }

  /** How many places groups find if no host gives two OSDs to one group. */
  int places(int groups) {
    return places[Math.min(groups, places.length - 1)];
  }
}
