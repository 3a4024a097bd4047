package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Spares in pools that are too large to look at every OSD for each component (P 6.8). */
class SparesOfManyOsdsTest {
  private static final int OSDS = 1_000;
  private static final int DRAWS = 20_000;
  private static final long ROOMY = 1L << 40;

  private final SplittableRandom random = new SplittableRandom(7);
  private final StorageMap map =
      StorageMap.of(
          Layout.of(3, 1), List.of(new OsdId(1), new OsdId(3), new OsdId(5), new OsdId(7)));

  /** Two on each host, numbered from 1. */
  private static OsdPool pool(IntToLongFunction freeBytes) {
    List<OsdCandidate> osds = new ArrayList<>();
    for (int id = 1; id <= OSDS; id++) {
      long free = freeBytes.applyAsLong(id);
      osds.add(new OsdCandidate(new OsdId(id), host(id), true, false, free, 0, 0));
    }
    return new OsdPool(osds);
  }

  private static String host(int osd) {
    return "host-" + (osd - 1) / 2;
  }

  private Spares spares(OsdPool pool, Map<OsdId, Long> pledged) {
    return new Spares(pool, pledged, random);
  }

  @Test
  void sparesAreDrawnByFreeSpaceOutsideTheGroupsHosts() {
    Spares spares = spares(pool(id -> id <= OSDS / 2 ? ROOMY : 2 * ROOMY), Map.of());
    Set<String> hosts = Set.of(host(1), host(3), host(5));
    int large = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
      int drawn = spares.choose(map, 3, 1, Set.of(new OsdId(900))).orElseThrow().value();
      assertFalse(hosts.contains(host(drawn)), "osd-" + drawn);
      assertNotEquals(7, drawn, "where the component was");
      assertNotEquals(900, drawn, "that is avoided");
      large += drawn > OSDS / 2 ? 1 : 0;
    }
    assertEquals(2.0 / 3, large / (double) DRAWS, 0.02);
  }

  @Test
  void theOnlyOneWithSpaceIsFoundAmongMany() {
    Spares spares = spares(pool(id -> id == 777 ? ROOMY : 1L << 20), Map.of());

    assertEquals(Optional.of(new OsdId(777)), spares.choose(map, 3, 1L << 30, Set.of()));
    assertEquals(Optional.empty(), spares.choose(map, 3, 1L << 30, Set.of(new OsdId(777))));
  }

  @Test
  void rebuildsUnderWayCountAsUsedSpace() {
    Map<OsdId, Long> pledged = Map.of(new OsdId(777), ROOMY);
    Spares spares = spares(pool(id -> id == 777 || id == 778 ? ROOMY : 1L << 20), pledged);

    assertEquals(Optional.of(new OsdId(778)), spares.choose(map, 3, 1L << 30, Set.of()));
  }

  @Test
  void spareMayShareTheGroupsHostIfNoOtherHasSpace() {
    Spares spares = spares(pool(id -> id == 2 ? ROOMY : 1L << 20), Map.of());

    assertEquals(Optional.of(new OsdId(2)), spares.choose(map, 3, 1L << 30, Set.of()));
    assertTrue(host(2).equals(host(1)), "beside a component of the group");
  }

  /** OSDs 2 and 777 have space; 2 is on a host of the group. */
  @Test
  void shunnedBestPlaceIsNotReplacedByAWorseOne() {
    Spares spares = spares(pool(id -> id == 2 || id == 777 ? ROOMY : 1L << 20), Map.of());
    OsdId best = new OsdId(777);
    assertEquals(Optional.of(best), spares.choose(map, 3, 1L << 30, Set.of(), Set.of()));
    assertEquals(Optional.empty(), spares.choose(map, 3, 1L << 30, Set.of(), Set.of(best)));
    assertEquals(
        Optional.of(new OsdId(2)),
        spares.choose(map, 3, 1L << 30, Set.of(best), Set.of()),
        "that it was to avoid");
  }

  @Test
  void shunnedOsdIsNeverChosenAmongEquals() {
    Spares spares = spares(pool(id -> ROOMY), Map.of());
    OsdId shunned = new OsdId(900);
    for (int draw = 0; draw < DRAWS; draw++) {
      assertNotEquals(Optional.of(shunned), spares.choose(map, 3, 1, Set.of(), Set.of(shunned)));
    }
  }
}
