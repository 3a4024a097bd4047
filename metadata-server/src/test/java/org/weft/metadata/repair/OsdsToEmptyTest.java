package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Which OSDs are to be emptied, and for how long what was found of them is true. */
class OsdsToEmptyTest {
  private static final OsdId DOWN = new OsdId(1);
  private static final OsdId REMOVED = new OsdId(2);
  private static final OsdId DRAINED = new OsdId(3);

  private static OsdsToEmpty osds(long drain) {
    return new OsdsToEmpty(
        new TreeSet<>(Set.of(DOWN, REMOVED)),
        new TreeSet<>(Set.of(DRAINED)),
        new TreeMap<>(Map.of(REMOVED, OsdsToEmpty.NO_DRAIN, DRAINED, drain)));
  }

  @Test
  void clearedOsdStaysEmptyWithinTheSameDrain() {
    TreeMap<OsdId, Long> cleared = new TreeMap<>(Map.of(DRAINED, 7L));
    assertEquals(Set.of(DOWN, REMOVED), osds(7).without(cleared).all());
    assertEquals(Set.of(DOWN, REMOVED, DRAINED), osds(8).without(cleared).all());
  }

  @Test
  void removedUndrainedOsdIsClearedToo() {
    TreeMap<OsdId, Long> cleared = new TreeMap<>(Map.of(REMOVED, 0L, DOWN, 0L));
    assertEquals(Set.of(DOWN, DRAINED), osds(7).without(cleared).all());
  }

  @Test
  void keptOsdCountsAsLostButIsNotEmptied() {
    OsdsToEmpty before = osds(7);
    OsdsToEmpty kept =
        new OsdsToEmpty(
            before.lost(), before.leaving(), before.drains(), new TreeSet<>(Set.of(DOWN)));
    assertEquals(Set.of(DOWN, REMOVED), kept.lost());
    assertEquals(Set.of(REMOVED, DRAINED), kept.now());
    assertEquals(Set.of(REMOVED, DRAINED), kept.same(before).keySet());
    assertEquals(Set.of(REMOVED, DRAINED), before.same(kept).keySet(), "it is looked for anew");
    StorageMap map = StorageMap.of(Layout.of(2, 1), List.of(DOWN, new OsdId(8), new OsdId(9)));
    Attributes one =
        Attributes.create(new ObjectId(70_000), NodeKind.FILE, map).sizeBytes(1 << 20).build();
    assertTrue(RebuildNeed.of(one, kept).isEmpty());
    StorageMap two = StorageMap.of(Layout.of(2, 1), List.of(DOWN, REMOVED, new OsdId(9)));
    assertEquals(Set.of(0, 1), RebuildNeed.of(one.edit().map(two).build(), kept).hopeless());
    assertEquals(-1, RebuildNeed.redundancyLeft(two, kept.lost()));
  }

  @Test
  void findingCountsForItsOwnDrainOnly() {
    assertEquals(Map.of(DOWN, 0L, REMOVED, 0L, DRAINED, 7L), osds(7).same(osds(7)));
    assertEquals(Map.of(DOWN, 0L, REMOVED, 0L), osds(8).same(osds(7)));
    assertTrue(osds(7).same(OsdsToEmpty.NONE).isEmpty());
  }
}
