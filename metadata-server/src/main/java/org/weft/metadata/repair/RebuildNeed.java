package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;

/**
 * What of one file is to be put on other OSDs, because the ones it was on are lost for good or are
 * drained, or its map calls it missing (P 6.8).
 *
 * @param bytes components with bytes of the file that are gone, those first whose group has lost
 *     most
 * @param copies components that hold at most copies of the attributes: nothing need be read for
 *     them. Of a directory: its copies that are gone
 * @param attributeOsds lost or drained OSDs of attribute-only objects
 * @param moving components that are good, on drained OSDs: with bytes of the file, or copies of a
 *     directory
 * @param heirs OSDs with a copy of a directory in the place of one on a drained OSD that is there
 *     still; none of them is wanted any more if nothing moves
 * @param hopeless components with bytes of the file whose group has lost more than its code bears
 */
public record RebuildNeed(
    List<Integer> bytes,
    List<Integer> copies,
    List<OsdId> attributeOsds,
    List<Integer> moving,
    List<OsdId> heirs,
    SortedSet<Integer> hopeless) {
  public RebuildNeed {
    bytes = List.copyOf(bytes);
    copies = List.copyOf(copies);
    attributeOsds = List.copyOf(attributeOsds);
    moving = List.copyOf(moving);
    heirs = List.copyOf(heirs);
    hopeless = Collections.unmodifiableSortedSet(new TreeSet<>(hopeless));
  }

  /** Looks through the map. */
  public static RebuildNeed of(Attributes file, OsdsToEmpty osds) {
    StorageMap map = file.map();
    TreeSet<Integer> out = out(map, osds.lost());
    List<Integer> bytes = new ArrayList<>();
    List<Integer> copies = new ArrayList<>();
    List<Integer> moving = new ArrayList<>();
    SortedSet<Integer> hopeless = new TreeSet<>();
    for (int component : out) {
      boolean isKept = !map.isMissing(component) && osds.kept().contains(map.osdOf(component));
      if (holdsBytes(file, component) && !map.bearsInGroupOf(component, out)) {
        hopeless.add(component);
      } else if (holdsBytes(file, component) && !isKept) {
        bytes.add(component);
      } else if (!isKept) {
        copies.add(component);
      }
    }
    bytes.sort((a, b) -> Integer.compare(outInGroup(map, out, b), outInGroup(map, out, a)));
    for (int component : map.presentOn(osds.leaving())) {
      if (file.isDirectory() || holdsBytes(file, component)) {
        moving.add(component);
      } else {
        copies.add(component);
      }
    }
    SortedSet<OsdId> all = osds.all();
    List<OsdId> attributesAlone =
        map.attributeOsds().stream().filter(osd -> !map.components().contains(osd)).toList();
    List<OsdId> attributeOsds = attributesAlone.stream().filter(osds.now()::contains).toList();
    List<OsdId> heirs =
        file.isDirectory()
            ? attributesAlone.stream().filter(osd -> !all.contains(osd)).toList()
            : List.of();
    return new RebuildNeed(bytes, copies, attributeOsds, moving, heirs, hopeless);
  }

  private static TreeSet<Integer> out(StorageMap map, Set<OsdId> lost) {
    TreeSet<Integer> out = new TreeSet<>(map.missing());
    out.addAll(map.presentOn(lost));
    return out;
  }

  /** Of a directory the blocks are brought up to date like any copy that lags. */
  private static boolean holdsBytes(Attributes file, int component) {
    return !file.isDirectory()
        && !file.isAttributesAlone()
        && ComponentRebuild.exists(file.map().layout(), file.sizeBytes(), component);
  }

  private static int outInGroup(StorageMap map, TreeSet<Integer> out, int component) {
    int first = component / map.layout().width() * map.layout().width();
    return out.subSet(first, first + map.layout().width()).size();
  }

  public boolean isEmpty() {
    return bytes.isEmpty()
        && copies.isEmpty()
        && attributeOsds.isEmpty()
        && moving.isEmpty()
        && heirs.isEmpty()
        && hopeless.isEmpty();
  }

  /** How many more components the worst of its groups may lose, or how far it is below that. */
  public static int redundancyLeft(StorageMap map, Set<OsdId> lost) {
    TreeSet<Integer> out = out(map, lost);
    int most = 0;
    for (int component : out) {
      most = Math.max(most, outInGroup(map, out, component));
    }
    return map.layout().parityUnits() - most;
  }

  /** Bytes that are to be written anew. */
  public long bytesToWrite(Attributes file) {
    long all = 0;
    for (int component : bytes) {
      all += ComponentRebuild.bytesOf(file.map().layout(), file.sizeBytes(), component);
    }
    if (!file.isDirectory()) {
      for (int component : moving) {
        all += ComponentRebuild.bytesOf(file.map().layout(), file.sizeBytes(), component);
      }
    }
    return all;
  }
}
