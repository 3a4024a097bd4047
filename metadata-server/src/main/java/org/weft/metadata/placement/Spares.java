package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * Chooses where a component goes whose OSD is lost (P 6.8): at random among the OSDs that the map
 * leaves out, the more likely the more free space they have, so that what many files lose spreads
 * over all others. A host that has no other component of the group comes first. Not thread-safe, as
 * the random numbers are not.
 */
public final class Spares {
  private final OsdPool pool;
  private final RandomGenerator random;

  public Spares(OsdPool pool, RandomGenerator random) {
    this.pool = pool;
    this.random = random;
  }

  /**
   * An OSD for a component; empty if none takes it.
   *
   * @param component whose group is to keep to different hosts
   * @param bytes that it will hold
   * @param avoided not these
   */
  public Optional<OsdId> choose(StorageMap map, int component, long bytes, Set<OsdId> avoided) {
    Set<OsdId> taken = new HashSet<>(map.components());
    taken.addAll(map.attributeOsds());
    List<OsdCandidate> fitting = new ArrayList<>();
    for (OsdCandidate osd : pool.osds()) {
      boolean takes = osd.takes(map.layout().unitBytes()) && osd.freeBytes() >= bytes;
      if (takes && !taken.contains(osd.osd()) && !avoided.contains(osd.osd())) {
        fitting.add(osd);
      }
    }
    Set<String> hosts = hostsOfGroup(map, component);
    List<OsdCandidate> apart = fitting.stream().filter(osd -> !hosts.contains(osd.host())).toList();
    return drawn(apart.isEmpty() ? fitting : apart);
  }

  /** Hosts of the components that stay. */
  private Set<String> hostsOfGroup(StorageMap map, int component) {
    int first = component / map.layout().width() * map.layout().width();
    Set<OsdId> others = new HashSet<>();
    for (int each = first; each < first + map.layout().width(); each++) {
      if (each != component && !map.isMissing(each)) {
        others.add(map.osdOf(each));
      }
    }
    Set<String> hosts = new HashSet<>();
    for (OsdCandidate osd : pool.osds()) {
      if (others.contains(osd.osd())) {
        hosts.add(osd.host());
      }
    }
    return hosts;
  }

  private Optional<OsdId> drawn(List<OsdCandidate> from) {
    double all = from.stream().mapToDouble(OsdCandidate::freeBytes).sum();
    double point = random.nextDouble() * all;
    for (OsdCandidate osd : from) {
      point -= osd.freeBytes();
      if (point < 0) {
        return Optional.of(osd.osd());
      }
    }
    return from.stream().findFirst().map(OsdCandidate::osd);
  }
}
