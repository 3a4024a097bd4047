package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.client.stripe.ComponentRebuild;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * What of one file is to be put on other OSDs, because the ones it was on are lost for good or its
 * map calls it missing (P 6.8).
 *
 * @param bytes components with bytes of the file, those first whose group has lost most
 * @param copies components that hold at most copies of the attributes: nothing need be read for
 *     them
 * @param attributeOsds lost OSDs of attribute-only objects
 * @param hopeless components with bytes of the file whose group has lost more than its code bears
 */
public record RebuildNeed(
    List<Integer> bytes,
    List<Integer> copies,
    List<OsdId> attributeOsds,
    SortedSet<Integer> hopeless) {
  public RebuildNeed {
    bytes = List.copyOf(bytes);
    copies = List.copyOf(copies);
    attributeOsds = List.copyOf(attributeOsds);
    hopeless = Collections.unmodifiableSortedSet(new TreeSet<>(hopeless));
  }

  /**
   * Looks through the map.
   *
   * @param lost OSDs that do not come back
   */
  public static RebuildNeed of(Attributes file, Set<OsdId> lost) {
    StorageMap map = file.map();
    TreeSet<Integer> out = new TreeSet<>(map.missing());
    out.addAll(map.presentOn(lost));
    List<Integer> bytes = new ArrayList<>();
    List<Integer> copies = new ArrayList<>();
    SortedSet<Integer> hopeless = new TreeSet<>();
    for (int component : out) {
      if (!holdsBytes(file, component)) {
        copies.add(component);
      } else if (map.bearsInGroupOf(component, out)) {
        bytes.add(component);
      } else {
        hopeless.add(component);
      }
    }
    bytes.sort((a, b) -> Integer.compare(outInGroup(map, out, b), outInGroup(map, out, a)));
    List<OsdId> attributeOsds =
        map.attributeOsds().stream()
            .filter(osd -> lost.contains(osd) && !map.components().contains(osd))
            .toList();
    return new RebuildNeed(bytes, copies, attributeOsds, hopeless);
  }

  /** Of a directory the blocks are brought up to date like any copy that lags. */
  private static boolean holdsBytes(Attributes file, int component) {
    return !file.isDirectory()
        && !file.isSymlink()
        && ComponentRebuild.exists(file.map().layout(), file.sizeBytes(), component);
  }

  private static int outInGroup(StorageMap map, TreeSet<Integer> out, int component) {
    int first = component / map.layout().width() * map.layout().width();
    return out.subSet(first, first + map.layout().width()).size();
  }

  public boolean isEmpty() {
    return bytes.isEmpty() && copies.isEmpty() && attributeOsds.isEmpty() && hopeless.isEmpty();
  }

  /** How many more components the worst of its groups may lose, or how far it is below that. */
  public static int redundancyLeft(StorageMap map, Set<OsdId> lost) {
    TreeSet<Integer> out = new TreeSet<>(map.missing());
    out.addAll(map.presentOn(lost));
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
    return all;
  }
}
