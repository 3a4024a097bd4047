package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.DomainCounts;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * Chooses the OSDs of a new object (P 4.1; Panasas FAST'08 section 4.2). It draws uniformly at
 * random among those that are up and have space. No two components of a parity group share a fault
 * domain. That is the rack or the host, as the BladeSet wants it, or the OSD itself where these do
 * not suffice. Where possible, one domain stays outside of each map. Pure: the random numbers are
 * handed in. Not thread-safe, as they are not.
 */
public final class Placement {
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
   * The map of a new file: all of its groups, each OSD in one of them at most.
   *
   * @throws WeftException INVALID_ARGUMENT if the layout can never fit this BladeSet. UNAVAILABLE
   *     if it does not fit the OSDs that are up now. NO_SPACE if only full OSDs prevent it
   */
  public StorageMap file(PlacementSpec wanted) throws WeftException {
    UsableOsds usable = pool.usable(wanted.unitBytes());
    int least = wanted.leastOsds();
    require(usable.size() >= least, least, wanted.unitBytes(), "a file of this layout");
    int width =
        wanted.dataUnits() == 0
            ? widest(wanted, usable)
            : wanted.dataUnits() + wanted.parityUnits();
    ShuffledOsds shuffled = new ShuffledOsds(usable.osds(), random);
    Groups groups = new Groups(usable, shuffled, width, pool.wish(), random);
    int attributeOnly = Math.max(0, metaCopies - width);
    int count =
        wanted.groups() == 0
            ? groups.fitting(usable.size() - attributeOnly, PlacementSpec.MAX_DEFAULT_GROUPS)
            : wanted.groups();
    Layout layout = wanted.toLayout(width - wanted.parityUnits(), count);
    List<OsdCandidate> components = groups.draw(count);
    return new StorageMap(
        layout,
        ids(components),
        1,
        new TreeSet<>(),
        attributeOsds(usable.counts(), layout, components, shuffled, groups.domain()));
  }

  /** Data units that a new file of the layout would have; 0 if none can be placed now. */
  public int dataUnits(PlacementSpec wanted) {
    UsableOsds usable = pool.usable(wanted.unitBytes());
    if (usable.size() < wanted.leastOsds()) {
      return 0;
    }
    return wanted.dataUnits() == 0
        ? widest(wanted, usable) - wanted.parityUnits()
        : wanted.dataUnits();
  }

  /**
   * Whether files of a layout can ever be placed here.
   *
   * @throws WeftException INVALID_ARGUMENT if the BladeSet has too few OSDs, those that are down
   *     included; UNAVAILABLE if none is known yet
   */
  public void requireFits(PlacementSpec wanted) throws WeftException {
    int least = wanted.leastOsds();
    if (pool.osds().size() < least) {
      require(false, least, wanted.unitBytes(), "a file of this layout");
    }
  }

  /**
   * The map of a new directory or symbolic link: its metadata copies are the components of a mirror
   * (P 4.4).
   */
  public StorageMap directory() throws WeftException {
    int unitBytes = Layout.DEFAULT_UNIT_BYTES;
    UsableOsds usable = pool.usable(unitBytes);
    // Two copies at least, unless all others of the BladeSet are drained: a single copy is lost
    // with its disk.
    int least = Math.max(1, Math.min(2, pool.stayingCount()));
    require(usable.size() >= least, least, unitBytes, "a directory");
    int copies = Math.min(metaCopies, usable.size());
    ShuffledOsds shuffled = new ShuffledOsds(usable.osds(), random);
    Groups groups = new Groups(usable, shuffled, copies, pool.wish(), random);
    return StorageMap.of(Layout.of(1, copies - 1), ids(groups.draw(1)));
  }

  private void require(boolean enough, int least, int unitBytes, String what) throws WeftException {
    if (enough) {
      return;
    }
    String need = what + " needs " + least + " OSDs";
    if (pool.osds().size() < least) {
      // An empty pool is a cluster that is starting, not a wrong wish.
      ErrorCode code = pool.osds().isEmpty() ? ErrorCode.UNAVAILABLE : ErrorCode.INVALID_ARGUMENT;
      throw new WeftException(
          code,
          need
              + ", there are "
              + pool.osds().size()
              + "; add OSDs or choose a narrower layout or fewer groups");
    }
    if (pool.stayingCount() < least) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "%s, %d are not drained; use OSDs again that are (weft osd drain --undo), or add OSDs: %s"
              .formatted(need, pool.stayingCount(), pool.unusable(unitBytes)));
    }
    if (pool.upCount() < least) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "%s, %d are up%s; start the others%s: %s"
              .formatted(
                  need,
                  pool.upCount(),
                  pool.draining().isEmpty() ? "" : " and not drained",
                  pool.draining().isEmpty() ? "" : ", or use some again (weft osd drain --undo)",
                  pool.unusable(unitBytes)));
    }
    throw new WeftException(
        ErrorCode.NO_SPACE,
        need + " with free space; free some or add OSDs: " + pool.unusable(unitBytes));
  }

  /**
   * Fault domains count as the pool's members where they can carry the parity, so that losing one
   * is survived. Groups that were asked for share the OSDs.
   */
  private int widest(PlacementSpec wanted, UsableOsds usable) {
    int width = usable.counts().width(pool.wish(), wanted.parityUnits());
    return Math.min(width, usable.size() / wanted.leastGroups());
  }

  /** Other OSDs, of other fault domains than those of the first group where there are such. */
  private List<OsdId> attributeOsds(
      DomainCounts counts,
      Layout layout,
      List<OsdCandidate> components,
      ShuffledOsds shuffled,
      FaultDomain domain) {
    int lacking = metaCopies - layout.width();
    if (lacking <= 0) {
      return List.of();
    }
    // One object's name on all of them: an OSD that holds a component cannot hold this as well.
    Set<OsdId> holders = new HashSet<>(ids(components));
    List<OsdCandidate> apart = new ArrayList<>(components.subList(0, layout.width()));
    List<OsdId> chosen = new ArrayList<>();
    for (FaultDomain each : domain.downwards()) {
      Set<String> places = new HashSet<>();
      apart.forEach(osd -> places.add(osd.place(each)));
      int most = counts.of(each);
      int next = 0;
      while (chosen.size() < lacking && places.size() < most && next < shuffled.size()) {
        OsdCandidate osd = shuffled.get(next++);
        if (!holders.contains(osd.osd()) && places.add(osd.place(each))) {
          holders.add(osd.osd());
          apart.add(osd);
          chosen.add(osd.osd());
        }
      }
    }
    return chosen;
  }

  private static List<OsdId> ids(List<OsdCandidate> osds) {
    return osds.stream().map(OsdCandidate::osd).toList();
  }
}
