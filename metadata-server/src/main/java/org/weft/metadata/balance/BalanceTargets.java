package org.weft.metadata.balance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.layout.StorageMap;

/**
 * Chooses where a component goes that leaves an OSD which holds more than others. It draws among
 * the OSDs that hold less and that the map leaves out. An OSD is the more likely the more it lacks.
 * No OSD comes above the band by it, as far as its usage is known. Components on their way to it
 * count. A component that shares no fault domain with others of its group shares none afterwards.
 * That means neither rack nor host, as far as the BladeSet wants (P 4.5). Not thread-safe, as the
 * random numbers are not.
 */
public final class BalanceTargets {
  private final OsdPool pool;
  private final BalanceRound round;
  private final Map<OsdId, Long> pledgedBytes;
  private final RandomGenerator random;

  /** Places in which others of the component's group are, and it is not. */
  private record Apart(FaultDomain domain, Set<String> places) {
    boolean holdsOf(OsdCandidate osd) {
      return !places.contains(osd.place(domain));
    }
  }

  /**
   * @param pledgedBytes what is to be written to OSDs by what has begun
   */
  public BalanceTargets(
      OsdPool pool, BalanceRound round, Map<OsdId, Long> pledgedBytes, RandomGenerator random) {
    this.pool = pool;
    this.round = round;
    this.pledgedBytes = Map.copyOf(pledgedBytes);
    this.random = random;
  }

  /**
   * An OSD for a component that is on another one now; empty if none takes it.
   *
   * @param bytes that it will hold
   * @param unfit not these
   */
  public Optional<OsdId> choose(StorageMap map, int component, long bytes, Set<OsdId> unfit) {
    Set<OsdId> taken = new HashSet<>(map.components());
    taken.addAll(map.attributeOsds());
    taken.addAll(unfit);
    List<Apart> rules = apart(map, component);
    List<OsdCandidate> fitting = new ArrayList<>();
    double all = 0;
    for (OsdCandidate osd : pool.osds()) {
      boolean keepsApart = rules.stream().allMatch(rule -> rule.holdsOf(osd));
      if (keepsApart && !taken.contains(osd.osd()) && takes(osd, bytes)) {
        fitting.add(osd);
        all += round.comingBytes().get(osd.osd());
      }
    }
    double point = random.nextDouble() * all;
    for (OsdCandidate osd : fitting) {
      point -= round.comingBytes().get(osd.osd());
      if (point < 0) {
        return Optional.of(osd.osd());
      }
    }
    return fitting.stream().findFirst().map(OsdCandidate::osd);
  }

  private boolean takes(OsdCandidate osd, long bytes) {
    long pledged = pledgedBytes.getOrDefault(osd.osd(), 0L);
    return osd.up()
        && !osd.draining()
        && round.comingBytes().containsKey(osd.osd())
        && round.roomBytes().getOrDefault(osd.osd(), 0L) - pledged >= bytes
        && osd.freeBytes() - pledged >= bytes;
  }

  private List<Apart> apart(StorageMap map, int component) {
    Map<OsdId, OsdCandidate> known = new HashMap<>();
    pool.osds().forEach(osd -> known.put(osd.osd(), osd));
    OsdCandidate own = known.get(map.osdOf(component));
    List<Apart> rules = new ArrayList<>();
    for (FaultDomain domain : pool.wish().largest().downwards()) {
      Set<String> others = new HashSet<>();
      int width = map.layout().width();
      int first = component / width * width;
      for (int each = first; each < first + width; each++) {
        OsdCandidate other = known.get(map.osdOf(each));
        if (each != component && other != null) {
          others.add(other.place(domain));
        }
      }
      Apart rule = new Apart(domain, others);
      if (own == null || rule.holdsOf(own)) {
        rules.add(rule);
      }
    }
    return rules;
  }
}
