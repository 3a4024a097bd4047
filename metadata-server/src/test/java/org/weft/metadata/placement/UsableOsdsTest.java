package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;

/** What placement counts once for a pool. */
class UsableOsdsTest {
  private final List<OsdCandidate> osds = new ArrayList<>();

  @Test
  void theyAreCountedOnceForAllSizesThatNoOsdDiffersIn() {
    add("a", true, 1_000_000);
    add("b", true, 100_000);
    OsdPool pool = new OsdPool(osds);
    UsableOsds both = pool.usable(4_096);
    assertEquals(2, both.size());
    assertSame(both, pool.usable(100_000));
    UsableOsds one = pool.usable(100_001);
    assertEquals(1, one.size());
    assertSame(one, pool.usable(1_000_000));
    assertEquals(0, pool.usable(1_000_001).size());
    assertEquals(2, pool.usable(65_536).size());
  }

  @Test
  void downOsdsDoNotCountWhateverTheirFreeSpace() {
    add("a", false, 1_000_000);
    add("b", true, -1);
    assertEquals(0, new OsdPool(osds).usable(4_096).size());
    assertEquals(0, new OsdPool(osds).usable(4_096).counts().hosts());
    assertEquals(0, new OsdPool(osds).usable(4_096).places(FaultDomain.HOST, 3));
  }

  @Test
  void aHostGivesEachGroupOnePlace() {
    for (String host : List.of("a", "a", "a", "b", "b", "c")) {
      add(host, true, 1_000_000);
    }
    UsableOsds usable = new OsdPool(osds).usable(4_096);
    assertEquals(3, usable.counts().hosts());
    assertEquals(3, usable.places(FaultDomain.HOST, 1));
    assertEquals(5, usable.places(FaultDomain.HOST, 2));
    assertEquals(6, usable.places(FaultDomain.HOST, 3));
    assertEquals(6, usable.places(FaultDomain.HOST, 100));
  }

  private void add(String host, boolean up, long freeBytes) {
    osds.add(new OsdCandidate(new OsdId(osds.size() + 1), host, up, freeBytes));
  }
}
