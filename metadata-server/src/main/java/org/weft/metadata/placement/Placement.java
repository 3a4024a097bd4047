package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.layout.Width;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Chooses the OSDs of a new object: uniformly at random among those that are up and have space, no
 * two components of a parity group in one fault domain (the host; the OSD itself where there are
 * fewer hosts than components), one of them left out of each map where that is possible (P 4.1;
 * Panasas FAST'08 section 4.2). Pure: the random numbers are handed in. Not thread-safe, as they
 * are not.
 */
public final class Placement {
  /** Fault domains left out of each map, so that a lost component has somewhere to go. */
  private static final int SPARES = 1;

  private final OsdPool pool;
  private final int metaCopies;
  private final RandomGenerator random;

  /**
   * @param metaCopies how many OSDs should hold attributes and directories (P 4.4)
   */
  public Placement(OsdPool pool, int metaCopies, RandomGenerator random) {
    this.pool = pool;
    this.metaCopies = metaCopies;
    this.random = random;
  }

  /**
   * The map of a new file.
   *
   * @throws RpcException INVALID_ARGUMENT if the layout can never fit this BladeSet; UNAVAILABLE if
   *     it does not fit the OSDs that are up now; NO_SPACE if it would but for full OSDs
   */
  public StorageMap file(LayoutWanted wanted) throws RpcException {
    List<OsdCandidate> usable = shuffledUsable(wanted.unitBytes());
    int hosts = hostCount(usable);
    int least = wanted.parityUnits() + Math.max(1, wanted.dataUnits());
    require(usable.size() >= least, least, wanted.unitBytes(), "a file of this layout");
    int width = wanted.dataUnits() == 0 ? widest(wanted, usable.size(), hosts) : least;
    Layout layout = wanted.withDataUnits(width - wanted.parityUnits());
    List<OsdId> components = new ArrayList<>();
    Set<OsdId> usedByGroups = new LinkedHashSet<>();
    for (int group = 0; group < layout.groups(); group++) {
      List<OsdId> members = choose(usable, width, hosts >= width, usedByGroups);
      components.addAll(members);
      usedByGroups.addAll(members);
      if (usedByGroups.size() > usable.size() - width) {
        usedByGroups.clear();
      }
      shuffle(usable);
    }
    return new StorageMap(
        layout, components, 1, new TreeSet<>(), attributeOsds(layout, components, usable));
  }

  /** The map of a new directory: its metadata copies are the components of a mirror (P 4.4). */
  public StorageMap directory() throws RpcException {
    int unitBytes = Layout.DEFAULT_UNIT_BYTES;
    List<OsdCandidate> usable = shuffledUsable(unitBytes);
    // Two copies at least, unless the whole BladeSet is one OSD: a single copy is lost with its
    // disk.
    int least = Math.max(1, Math.min(2, pool.osds().size()));
    require(usable.size() >= least, least, unitBytes, "a directory");
    int copies = Math.min(metaCopies, usable.size());
    List<OsdId> components = choose(usable, copies, hostCount(usable) >= copies, Set.of());
    return StorageMap.of(Layout.of(1, copies - 1), components);
  }

  private void require(boolean enough, int least, int unitBytes, String what) throws RpcException {
    if (enough) {
      return;
    }
    String need = what + " needs " + least + " OSDs";
    if (pool.osds().size() < least) {
      // An empty pool is a cluster that is starting, not a wrong wish.
      ErrorCode code = pool.osds().isEmpty() ? ErrorCode.UNAVAILABLE : ErrorCode.INVALID_ARGUMENT;
      throw new RpcException(
          code,
          need + ", there are " + pool.osds().size() + "; add OSDs or choose a narrower layout");
    }
    if (pool.upCount() < least) {
      throw new RpcException(
          ErrorCode.UNAVAILABLE,
          need + ", " + pool.upCount() + " are up; start the others: " + pool.unusable(unitBytes));
    }
    throw new RpcException(
        ErrorCode.NO_SPACE,
        need + " with free space; free some or add OSDs: " + pool.unusable(unitBytes));
  }

  /**
   * Hosts count as the pool's members where they can carry the parity, so that losing one is
   * survived.
   */
  private static int widest(LayoutWanted wanted, int osds, int hosts) {
    int members = hosts > wanted.parityUnits() && hosts > 1 ? hosts : osds;
    return Width.choose(members, wanted.parityUnits(), SPARES);
  }

  private List<OsdCandidate> shuffledUsable(int unitBytes) {
    List<OsdCandidate> usable = new ArrayList<>();
    for (OsdCandidate osd : pool.osds()) {
      if (osd.takes(unitBytes)) {
        usable.add(osd);
      }
    }
    shuffle(usable);
    return usable;
  }

  private void shuffle(List<OsdCandidate> list) {
    for (int last = list.size() - 1; last > 0; last--) {
      int other = random.nextInt(last + 1);
      OsdCandidate moved = list.get(last);
      list.set(last, list.get(other));
      list.set(other, moved);
    }
  }

  private static int hostCount(List<OsdCandidate> usable) {
    return (int) usable.stream().map(OsdCandidate::host).distinct().count();
  }

  /** The first that fit, in shuffled order; those that earlier groups use come last. */
  private static List<OsdId> choose(
      List<OsdCandidate> shuffled, int count, boolean distinctHosts, Set<OsdId> avoided) {
    List<OsdId> chosen = new ArrayList<>();
    Set<String> hosts = new HashSet<>();
    for (boolean avoidedToo : new boolean[] {false, true}) {
      for (OsdCandidate osd : shuffled) {
        if (chosen.size() < count
            && avoided.contains(osd.osd()) == avoidedToo
            && (!distinctHosts || hosts.add(osd.host()))) {
          chosen.add(osd.osd());
        }
      }
    }
    return chosen;
  }

  private List<OsdId> attributeOsds(
      Layout layout, List<OsdId> components, List<OsdCandidate> usable) {
    int lacking = metaCopies - layout.width();
    if (lacking <= 0) {
      return List.of();
    }
    List<OsdId> firstGroup = components.subList(0, layout.width());
    Set<String> hosts = new HashSet<>();
    List<OsdCandidate> others = new ArrayList<>();
    for (OsdCandidate osd : usable) {
      if (firstGroup.contains(osd.osd())) {
        hosts.add(osd.host());
      } else {
        others.add(osd);
      }
    }
    List<OsdId> chosen = new ArrayList<>();
    for (boolean anyHost : new boolean[] {false, true}) {
      for (OsdCandidate osd : others) {
        if (chosen.size() < lacking
            && !chosen.contains(osd.osd())
            && (anyHost || hosts.add(osd.host()))) {
          chosen.add(osd.osd());
        }
      }
    }
    return chosen;
  }
}
