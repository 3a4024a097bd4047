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
import org.weft.protocol.layout.StorageMap;

/**
 * Chooses where a component goes that leaves an OSD which holds more than others: at random among
 * the OSDs that hold less and that the map leaves out, the more likely the more they lack. None
 * comes above the band by it, as far as its usage is known, with what is on its way there counted.
 * A group that keeps to different hosts does so afterwards, and no group is on fewer hosts than
 * before. Not thread-safe, as the random numbers are not.
 */
public final class BalanceTargets {
  private final OsdPool pool;
  private final BalanceRound round;
  private final Map<OsdId, Long> pledgedBytes;
  private final RandomGenerator random;

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
    Map<OsdId, String> hosts = new HashMap<>();
    pool.osds().forEach(osd -> hosts.put(osd.osd(), osd.host()));
    Set<String> others = hostsOfOthers(map, component, hosts);
    boolean wasApart = !others.contains(hosts.getOrDefault(map.osdOf(component), ""));
    List<OsdCandidate> fitting = new ArrayList<>();
    double all = 0;
    for (OsdCandidate osd : pool.osds()) {
      boolean keepsApart = !wasApart || !others.contains(osd.host());
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

  private static Set<String> hostsOfOthers(
      StorageMap map, int component, Map<OsdId, String> hosts) {
    int width = map.layout().width();
    int first = component / width * width;
    Set<String> others = new HashSet<>();
    for (int each = first; each < first + width; each++) {
      if (each != component) {
        others.add(hosts.getOrDefault(map.osdOf(each), ""));
      }
    }
    return others;
  }
}
