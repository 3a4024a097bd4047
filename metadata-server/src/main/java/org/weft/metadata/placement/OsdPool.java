package org.weft.metadata.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/**
 * The OSDs of one BladeSet at one version of the cluster table, in ascending order. Immutable, and
 * what placement asks of it is counted once.
 */
public final class OsdPool {
  /** No OSD at all: what a manager knows before it has seen a table. */
  public static final OsdPool EMPTY = new OsdPool(List.of());

  private final List<OsdCandidate> osds;
  private final FaultDomain.Wish wish;
  private volatile UsableOsds usable;

  /** A BladeSet without settings. */
  public OsdPool(List<OsdCandidate> osds) {
    this(osds, FaultDomain.Wish.AUTO);
  }

  /**
   * @param wish what fault domain placement keeps to, where there are enough
   */
  public OsdPool(List<OsdCandidate> osds, FaultDomain.Wish wish) {
    this.wish = wish;
    List<OsdCandidate> sorted = new ArrayList<>(osds);
    sorted.sort(Comparator.comparing(OsdCandidate::osd));
    this.osds = List.copyOf(sorted);
  }

  /** What fault domain placement keeps to, where there are enough. */
  public FaultDomain.Wish wish() {
    return wish;
  }

  /** All of them, those that are down or full included. */
  public List<OsdCandidate> osds() {
    return osds;
  }

  /** The one of that number; empty if the BladeSet does not have it. */
  Optional<OsdCandidate> find(OsdId osd) {
    int least = 0;
    int most = osds.size() - 1;
    while (least <= most) {
      int middle = (least + most) >>> 1;
      OsdCandidate candidate = osds.get(middle);
      int order = candidate.osd().compareTo(osd);
      if (order == 0) {
        return Optional.of(candidate);
      } else if (order < 0) {
        least = middle + 1;
      } else {
        most = middle - 1;
      }
    }
    return Optional.empty();
  }

  /** Those that take a unit of that size: most often the same ones as the last time. */
  UsableOsds usable(int unitBytes) {
    UsableOsds known = usable;
    if (known == null || !known.areThoseFor(unitBytes)) {
      known = UsableOsds.of(osds, unitBytes);
      usable = known;
    }
    return known;
  }

  /** The OSDs that the table has in the BladeSet, as they are to one of its volumes. */
  public static OsdPool of(ClusterTable table, String bladeSet, PartitionId volume) {
    List<OsdCandidate> osds = new ArrayList<>();
    for (OsdRow row : table.getOsdsList()) {
      if (row.getBladeSet().equals(bladeSet) && !row.getRemoved()) {
        OsdOfVolume osd = new OsdOfVolume(row, volume);
        osds.add(
            new OsdCandidate(
                new OsdId(row.getOsdId()),
                row.getHost(),
                osd.isUp(),
                osd.isGivenUp(),
                row.getCapacityBytes() - row.getUsedBytes() - row.getReserveBytes(),
                row.getCapacityBytes(),
                row.getDraining() ? row.getDrainNumber() : OsdCandidate.NO_DRAIN,
                row.getRack()));
      }
    }
    return new OsdPool(osds, wish(table, bladeSet));
  }

  /**
   * The BladeSet that a volume is in by a table: a merge changes it, in the same version as that of
   * the OSDs.
   *
   * @param otherwise of one that the table does not have
   */
  public static String bladeSet(ClusterTable table, PartitionId volume, String otherwise) {
    return table.getVolumesList().stream()
        .filter(row -> row.getVolumeId() == volume.value() && !row.getBladeSet().isEmpty())
        .map(VolumeRow::getBladeSet)
        .findFirst()
        .orElse(otherwise);
  }

  private static FaultDomain.Wish wish(ClusterTable table, String bladeSet) {
    return table.getBladeSetsList().stream()
        .filter(row -> row.getName().equals(bladeSet))
        .map(row -> FaultDomain.Wish.ofNumber(row.getDomainValue()))
        .findFirst()
        .orElse(FaultDomain.Wish.AUTO);
  }

  /** How many OSDs are up and not drained, whatever their free space. */
  public int upCount() {
    return (int) osds.stream().filter(osd -> osd.up() && !osd.draining()).count();
  }

  /** How many OSDs are not drained, whatever their state. */
  int stayingCount() {
    return osds.size() - draining().size();
  }

  /** The OSDs that are up. */
  public List<OsdId> up() {
    return osds.stream().filter(OsdCandidate::up).map(OsdCandidate::osd).toList();
  }

  /** OSDs whose components are to go to others, up or not, ascending. */
  public List<OsdId> draining() {
    return osds.stream().filter(OsdCandidate::draining).map(OsdCandidate::osd).toList();
  }

  /** For an error message: "osd-2 (down), osd-3 (full)", the OSDs that cannot take that size. */
  String unusable(int unitBytes) {
    List<String> names = new ArrayList<>();
    for (OsdCandidate osd : osds) {
      if (!osd.takes(unitBytes)) {
        names.add("osd-" + osd.osd() + (osd.draining() ? " (draining)" : whyNot(osd)));
      }
    }
    return names.isEmpty() ? "none" : String.join(", ", names);
  }

  private static String whyNot(OsdCandidate osd) {
    return osd.up() ? " (full)" : " (not up)";
  }
}
