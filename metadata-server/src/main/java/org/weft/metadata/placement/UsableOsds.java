package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.protocol.layout.DomainCounts;
import org.weft.protocol.layout.FaultDomain;

/**
 * The OSDs of a pool that take something of one size now, in ascending order, and what placement
 * asks of their fault domains, counted once. Immutable.
 */
final class UsableOsds {
  private final List<OsdCandidate> osds;
  // For sizes above the first and up to the second these are the OSDs.
  private final long mostFreeBytesOfOthers;
  private final long leastFreeBytes;
  private final long mostFreeBytes;
  private final DomainCounts counts;
  // How many OSDs the domains of a kind give if each gives as many as the index at most.
  private final Map<FaultDomain, int[]> places = new EnumMap<>(FaultDomain.class);
  private final Map<FaultDomain, List<String>> names = new EnumMap<>(FaultDomain.class);

  private UsableOsds(List<OsdCandidate> osds, long mostFreeBytesOfOthers, long leastFreeBytes) {
    this.osds = List.copyOf(osds);
    this.mostFreeBytesOfOthers = mostFreeBytesOfOthers;
    this.leastFreeBytes = leastFreeBytes;
    this.mostFreeBytes = osds.stream().mapToLong(OsdCandidate::freeBytes).max().orElse(0);
    this.counts = counts(osds);
    for (FaultDomain domain : FaultDomain.values()) {
      Map<String, Integer> sizes = sizes(osds, domain);
      places.put(domain, places(List.copyOf(sizes.values())));
      names.put(domain, sizes.keySet().stream().sorted().toList());
    }
  }

  private static Map<String, Integer> sizes(List<OsdCandidate> osds, FaultDomain domain) {
    Map<String, Integer> sizes = new HashMap<>();
    osds.forEach(osd -> sizes.merge(osd.place(domain), 1, Integer::sum));
    return sizes;
  }

  static DomainCounts counts(List<OsdCandidate> osds) {
    return new DomainCounts(
        osds.size(), sizes(osds, FaultDomain.HOST).size(), sizes(osds, FaultDomain.RACK).size());
  }

  private static int[] places(List<Integer> domainSizes) {
    int largest = domainSizes.stream().mapToInt(Integer::intValue).max().orElse(0);
    int[] domainsOfSize = new int[largest + 1];
    domainSizes.forEach(size -> domainsOfSize[size]++);
    int[] places = new int[largest + 1];
    int atLeast = domainSizes.size();
    for (int each = 1; each <= largest; each++) {
      places[each] = places[each - 1] + atLeast;
      atLeast -= domainsOfSize[each];
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

  /** The largest free space of one of them; 0 if there is none. */
  long mostFreeBytes() {
    return mostFreeBytes;
  }

  /** How many of each kind of domain they are in. */
  DomainCounts counts() {
    return counts;
  }

  /** How many places groups find if no domain of that kind gives two OSDs to one group. */
  int places(FaultDomain domain, int groups) {
    int[] found = places.get(domain);
    return found[Math.min(groups, found.length - 1)];
  }

  /** The same if any one of the domains is left out, whichever that is. */
  int placesButOne(FaultDomain domain, int groups) {
    int largest = places.get(domain).length - 1;
    return places(domain, groups) - Math.min(groups, largest);
  }

  /** Names of all domains of that kind, in order. */
  List<String> names(FaultDomain domain) {
    return names.get(domain);
  }
}
