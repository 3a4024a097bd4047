package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;

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
  void oneThatWasClearedIsEmptyAsLongAsItIsTheSameDrain() {
    TreeMap<OsdId, Long> cleared = new TreeMap<>(Map.of(DRAINED, 7L));
    assertEquals(Set.of(DOWN, REMOVED), osds(7).without(cleared).all());
    assertEquals(Set.of(DOWN, REMOVED, DRAINED), osds(8).without(cleared).all());
  }

  @Test
  void oneThatWasRemovedWithoutBeingDrainedIsClearedToo() {
    TreeMap<OsdId, Long> cleared = new TreeMap<>(Map.of(REMOVED, 0L, DOWN, 0L));
    assertEquals(Set.of(DOWN, DRAINED), osds(7).without(cleared).all());
  }

  @Test
  void whatWasFoundIsTrueOfTheSameDrainAlone() {
    assertEquals(Map.of(DOWN, 0L, REMOVED, 0L, DRAINED, 7L), osds(7).same(osds(7)));
    assertEquals(Map.of(DOWN, 0L, REMOVED, 0L), osds(8).same(osds(7)));
    assertTrue(osds(7).same(OsdsToEmpty.NONE).isEmpty());
  }
}
