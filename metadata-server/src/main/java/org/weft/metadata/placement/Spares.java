package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.layout.StorageMap;

/**
 * Chooses where a component goes whose OSD is lost (P 6.8). It draws at random among the OSDs that
 * the map leaves out. An OSD is the more likely the more free space it has, so the losses of many
 * files spread over all others. A fault domain that has no other component of the group comes
 * first. It is of the largest kind that the BladeSet wants, else of the next one down. What is
 * being written there already counts as used. A twentieth of each OSD is left to clients besides
 * what the OSD itself keeps back. Its usage is known with a delay, and other volumes rebuild as
 * well. Not thread-safe, as the random numbers are not.
 */
public final class Spares {
  private static final int LEFT_TO_CLIENTS = 20;

  /** With so many usable OSDs some are drawn and looked at, before all are. */
  private static final int MANY_OSDS = 256;

  private static final int DRAWS = 64;

  private final OsdPool pool;
  private final Map<OsdId, Long> pledgedBytes;
  private final RandomGenerator random;

  /**
   * @param pledgedBytes what is to be written to OSDs by rebuilds that have begun
   */
  public Spares(OsdPool pool, Map<OsdId, Long> pledgedBytes, RandomGenerator random) {
    this.pool = pool;
    this.pledgedBytes = Map.copyOf(pledgedBytes);
    this.random = random;
  }

  /**
   * An OSD for a component; empty if none takes it.
   *
   * @param component whose group is to keep to different fault domains
   * @param bytes that it will hold
   * @param avoided not these
   */
  public Optional<OsdId> choose(StorageMap map, int component, long bytes, Set<OsdId> avoided) {
    return choose(map, component, bytes, avoided, Set.of());
  }

  /**
   * As the other one, where some OSDs take nothing at the moment. If the best fault domain is on
   * one of these, the component goes to no other.
   *
   * @param shunned not these either
   */
  public Optional<OsdId> choose(
      StorageMap map, int component, long bytes, Set<OsdId> avoided, Set<OsdId> shunned) {
    Set<OsdId> taken = new HashSet<>(map.components());
    taken.addAll(map.attributeOsds());
    taken.addAll(avoided);
    return drawn(map, component, bytes, osd -> !taken.contains(osd), shunned);
  }

  /** The same among some OSDs alone, whether the map names them or not. */
  public Optional<OsdId> chooseOf(
      Collection<OsdId> candidates, StorageMap map, int component, long bytes) {
    return drawn(map, component, bytes, candidates::contains, Set.of());
  }

  private Optional<OsdId> drawn(
      StorageMap map, int component, long bytes, Predicate<OsdId> mayTake, Set<OsdId> shunned) {
    UsableOsds usable = pool.usable(map.layout().unitBytes());
    Optional<OsdId> lucky =
        usable.size() < MANY_OSDS
            ? Optional.empty()
            : drawnOfMany(
                usable,
                map,
                component,
                osd ->
                    bytesFor(osd) >= bytes
                        && mayTake.test(osd.osd())
                        && !shunned.contains(osd.osd()));
    return lucky.isPresent() ? lucky : drawnOfAll(map, component, bytes, mayTake, shunned);
  }

  /**
   * The same draw without looking at all OSDs: any of them, kept with a chance that goes with its
   * free space. Empty if no draw was kept, which does not mean that there is no OSD.
   */
  private Optional<OsdId> drawnOfMany(
      UsableOsds usable, StorageMap map, int component, Predicate<OsdCandidate> mayTake) {
    for (FaultDomain domain : pool.wish().largest().downwards()) {
      Set<String> taken = placesOfGroup(map, component, domain);
      boolean isOnlyOne = usable.counts().of(domain) == 1;
      if (!isOnlyOne || !taken.contains(usable.osds().get(0).place(domain))) {
        return drawnApart(usable, osd -> !taken.contains(osd.place(domain)) && mayTake.test(osd));
      }
    }
    return Optional.empty();
  }

  private Optional<OsdId> drawnApart(UsableOsds usable, Predicate<OsdCandidate> mayTake) {
    for (int draw = 0; draw < DRAWS; draw++) {
      OsdCandidate osd = usable.osds().get(random.nextInt(usable.size()));
      if (mayTake.test(osd) && random.nextDouble() * usable.mostFreeBytes() < weight(osd)) {
        return Optional.of(osd.osd());
      }
    }
    return Optional.empty();
  }

  private Optional<OsdId> drawnOfAll(
      StorageMap map, int component, long bytes, Predicate<OsdId> mayTake, Set<OsdId> shunned) {
    List<OsdCandidate> fitting = new ArrayList<>();
    for (OsdCandidate osd : pool.osds()) {
      boolean takes = osd.takes(map.layout().unitBytes()) && bytesFor(osd) >= bytes;
      if (takes && mayTake.test(osd.osd())) {
        fitting.add(osd);
      }
    }
    for (FaultDomain domain : pool.wish().largest().downwards()) {
      Set<String> taken = placesOfGroup(map, component, domain);
      List<OsdCandidate> apart =
          fitting.stream().filter(osd -> !taken.contains(osd.place(domain))).toList();
      if (!apart.isEmpty()) {
        return drawn(without(shunned, apart));
      }
    }
    return drawn(without(shunned, fitting));
  }

  private static List<OsdCandidate> without(Set<OsdId> shunned, List<OsdCandidate> osds) {
    return osds.stream().filter(osd -> !shunned.contains(osd.osd())).toList();
  }

  private long bytesFor(OsdCandidate osd) {
    return osd.freeBytes()
        - osd.capacityBytes() / LEFT_TO_CLIENTS
        - pledgedBytes.getOrDefault(osd.osd(), 0L);
  }

  /** Fault domains of the components that stay. */
  private Set<String> placesOfGroup(StorageMap map, int component, FaultDomain domain) {
    int first = component / map.layout().width() * map.layout().width();
    Set<String> places = new HashSet<>();
    for (int each = first; each < first + map.layout().width(); each++) {
      if (each != component && !map.isMissing(each)) {
        pool.find(map.osdOf(each)).ifPresent(osd -> places.add(osd.place(domain)));
      }
    }
    return places;
  }

  private double weight(OsdCandidate osd) {
    return Math.max(1, bytesFor(osd));
  }

  private Optional<OsdId> drawn(List<OsdCandidate> from) {
    double all = from.stream().mapToDouble(this::weight).sum();
    double point = random.nextDouble() * all;
    for (OsdCandidate osd : from) {
      point -= weight(osd);
      if (point < 0) {
        return Optional.of(osd.osd());
      }
    }
    return from.stream().findFirst().map(OsdCandidate::osd);
  }
}
