package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** Where new objects go (P 4.1, 4.4). */
class PlacementTest {
  private static final long ROOMY = 1L << 40;
  private static final int META_COPIES = 3;

  private final SplittableRandom random = new SplittableRandom(7);

  @ParameterizedTest(name = "{0} OSDs on {1} hosts, parity {2}: {3} + {2}")
  @CsvSource({
    "1, 1, 0, 1",
    "2, 1, 1, 1",
    "3, 1, 1, 1",
    "6, 1, 1, 4",
    "6, 6, 1, 4",
    "6, 6, 2, 3",
    "10, 1, 1, 8",
    "10, 5, 1, 3",
    "10, 10, 2, 7",
    "80, 80, 1, 10",
    "9, 3, 1, 1",
  })
  void defaultWidthFollowsTheNumberOfFaultDomains(int osds, int hosts, int parity, int data)
      throws WeftException {
    StorageMap map = placement(pool(osds, hosts)).file(PlacementSpec.of(0, parity));
    assertEquals(data, map.layout().dataUnits());
    assertEquals(parity, map.layout().parityUnits());
  }

  @Test
  void parityGroupUsesDistinctHostsWhereThereAreEnough() throws WeftException {
    OsdPool pool = pool(20, 5);
    for (int round = 0; round < 200; round++) {
      StorageMap map = placement(pool).file(oneGroup(3, 2));
      HashSet<String> hosts = new HashSet<>();
      map.components().forEach(osd -> assertTrue(hosts.add(hostOf(pool, osd)), () -> "" + map));
    }
  }

  @Test
  void osdsAreTheFaultDomainsWhereHostsAreTooFew() throws WeftException {
    StorageMap map = placement(pool(6, 2)).file(PlacementSpec.of(4, 1));
    assertEquals(5, new HashSet<>(map.components()).size());
  }

  @Test
  void osdsAreDrawnEvenlyThoughHostsDifferInSize() throws WeftException {
    List<OsdCandidate> osds = new ArrayList<>(pool(200, 20).osds());
    String shortHost = osds.get(0).host();
    osds.remove(0);
    Placement placement = placement(new OsdPool(osds));
    int onShortHost = 0;
    int rounds = 2_000;
    int chosen = 0;
    for (int round = 0; round < rounds; round++) {
      for (OsdId osd : placement.file(new PlacementSpec(4, 1, 65_536, 2_000, 4)).components()) {
        chosen++;
        onShortHost += hostOf(new OsdPool(osds), osd).equals(shortHost) ? 1 : 0;
      }
    }
    double fair = 9.0 * chosen / 199;
    assertEquals(fair, onShortHost, 0.1 * fair);
  }

  @Test
  void everyOsdIsChosenAboutAsOften() throws WeftException {
    Map<OsdId, Integer> chosen = new TreeMap<>();
    int rounds = 6_000;
    for (int round = 0; round < rounds; round++) {
      placement(pool(6, 6))
          .file(oneGroup(2, 1))
          .components()
          .forEach(osd -> chosen.merge(osd, 1, Integer::sum));
    }
    for (int count : chosen.values()) {
      assertEquals(rounds / 2.0, count, rounds * 0.05);
    }
  }

  @Test
  void aNarrowFileGetsAttributeOnlyCopiesOnOtherOsds() throws WeftException {
    StorageMap map = placement(pool(6, 6)).file(PlacementSpec.of(1, 0));
    assertEquals(META_COPIES, new HashSet<>(map.attributeHolders(META_COPIES)).size());
    assertEquals(2, map.attributeOsds().size());
    assertFalse(map.attributeOsds().contains(map.osdOf(0)));
  }

  @Test
  void aWideFileKeepsItsAttributesOnItsFirstComponents() throws WeftException {
    StorageMap map = placement(pool(6, 6)).file(PlacementSpec.of(4, 1));
    assertEquals(List.of(), map.attributeOsds());
  }

  @Test
  void directoriesAreMirrorsOfMetaCopies() throws WeftException {
    StorageMap map = placement(pool(6, 6)).directory();
    assertEquals(1, map.layout().dataUnits());
    assertEquals(META_COPIES, map.components().size());
  }

  @Test
  void aDirectoryTakesTheCopiesItCanGet() throws WeftException {
    assertEquals(2, placement(pool(2, 2)).directory().components().size());
    assertEquals(1, placement(pool(1, 1)).directory().components().size());
  }

  @Test
  void downAndFullOsdsAreLeftOut() throws WeftException {
    OsdPool pool =
        new OsdPool(
            List.of(
                osd(1, "a", true, ROOMY),
                osd(2, "b", false, ROOMY),
                osd(3, "c", true, 1_000),
                osd(4, "d", true, ROOMY),
                osd(5, "e", true, -5)));
    for (int round = 0; round < 50; round++) {
      StorageMap map = placement(pool).file(PlacementSpec.of(0, 1));
      assertEquals(List.of(1, 4), map.components().stream().map(OsdId::value).sorted().toList());
    }
  }

  @Test
  void largeUnitAvoidsAnOsdThatStillTakesSmallerOnes() throws WeftException {
    OsdPool pool =
        new OsdPool(
            List.of(osd(1, "a", true, ROOMY), osd(2, "b", true, 70_000), osd(3, "c", true, ROOMY)));
    for (int round = 0; round < 50; round++) {
      assertEquals(
          3, placement(pool).file(new PlacementSpec(2, 1, 65_536, 1, 1)).components().size());
      StorageMap wide = placement(pool).file(new PlacementSpec(1, 1, 131_072, 1, 1));
      assertEquals(List.of(1, 3), wide.components().stream().map(OsdId::value).sorted().toList());
      assertRefused(
          ErrorCode.NO_SPACE, "osd-2 (full)", pool, new PlacementSpec(2, 1, 131_072, 1, 1));
    }
  }

  @Test
  void placingCostsWhatTheFileTakesNotWhatThePoolHas() throws WeftException {
    OsdPool small = pool(200, 100);
    OsdPool large = pool(10_000, 1_000);
    PlacementSpec wide = new PlacementSpec(9, 1, 65_536, 2_000, 16);
    for (PlacementSpec wanted : List.of(PlacementSpec.of(1, 0), PlacementSpec.of(9, 1), wide)) {
      long drawnOfSmall = numbersDrawn(small, wanted);
      assertTrue(numbersDrawn(large, wanted) <= 2 * drawnOfSmall, () -> "" + wanted);
    }
  }

  private static long numbersDrawn(OsdPool pool, PlacementSpec wanted) throws WeftException {
    var numbers = new SplittableRandom(11);
    var drawn = new AtomicLong();
    RandomGenerator counted =
        () -> {
          drawn.incrementAndGet();
          return numbers.nextLong();
        };
    var unused = new Placement(pool, META_COPIES, counted).file(wanted);
    return drawn.get();
  }

  @Test
  void groupsOfOneFileSpreadOverThePool() throws WeftException {
    PlacementSpec wanted = new PlacementSpec(2, 1, 64 << 10, 10, 3);
    StorageMap map = placement(pool(9, 9)).file(wanted);
    assertEquals(9, map.components().size());
    assertEquals(9, new HashSet<>(map.components()).size());
  }

  @ParameterizedTest(name = "{0} OSDs on {1} hosts, {2} + {3}: {4} groups")
  @CsvSource({
    "6, 6, 2, 1, 1",
    "7, 7, 2, 1, 2",
    "24, 24, 2, 1, 7",
    "24, 6, 2, 1, 6",
    "20, 20, 3, 1, 4",
    "20, 5, 3, 1, 4",
    "20, 4, 3, 1, 4",
    "9, 3, 2, 1, 2",
    "12, 4, 2, 1, 3",
    "8, 2, 2, 1, 2",
    "200, 200, 2, 1, 16",
    "6, 6, 1, 0, 3",
    "3, 3, 1, 0, 1",
    "2, 2, 1, 0, 1",
    "6, 6, 1, 1, 2",
  })
  void groupCountLeavesOneSpareInThePool(int osds, int hosts, int data, int parity, int groups)
      throws WeftException {
    OsdPool pool = pool(osds, hosts);
    for (int round = 0; round < 20; round++) {
      StorageMap map = placement(pool).file(PlacementSpec.of(data, parity));
      assertEquals(groups, map.layout().groups());
      assertGroupsApart(pool, map, hosts >= data + parity);
      assertSpare(pool, map, hosts > data + parity && groups > 1);
      int copies = Math.min(META_COPIES, osds);
      if (data + parity < META_COPIES) {
        assertEquals(copies, map.attributeHolders(META_COPIES).size());
      }
    }
  }

  /** An OSD, or a whole host, that no component is on; a single group may take everything. */
  private static void assertSpare(OsdPool pool, StorageMap map, boolean host) {
    List<OsdId> outside =
        pool.osds().stream()
            .map(OsdCandidate::osd)
            .filter(osd -> !map.components().contains(osd))
            .toList();
    assertTrue(map.layout().groups() == 1 || !outside.isEmpty(), map::toString);
    Set<String> taken = new HashSet<>();
    map.components().forEach(osd -> taken.add(hostOf(pool, osd)));
    assertTrue(
        !host || outside.stream().anyMatch(osd -> !taken.contains(hostOf(pool, osd))),
        map::toString);
  }

  private static void assertGroupsApart(OsdPool pool, StorageMap map, boolean hosts) {
    int width = map.layout().width();
    for (int first = 0; first < map.components().size(); first += width) {
      List<OsdId> group = map.components().subList(first, first + width);
      long different = group.stream().map(osd -> hostOf(pool, osd)).distinct().count();
      assertTrue(!hosts || different == width, () -> group + " of " + map);
    }
  }

  @Test
  void unevenHostsGiveTheGroupsThatTheyCan() throws WeftException {
    // Five on one host, three on another, one on a third: 2 + 1 fits once. 1 + 1 fits
    // four times, and three times where one OSD has attributes alone and one is a spare.
    List<OsdCandidate> list = new ArrayList<>();
    String[] hosts = {"a", "a", "a", "a", "a", "b", "b", "b", "c"};
    for (int id = 1; id <= hosts.length; id++) {
      list.add(osd(id, hosts[id - 1], true, ROOMY));
    }
    OsdPool pool = new OsdPool(list);
    for (int round = 0; round < 50; round++) {
      StorageMap wide = placement(pool).file(PlacementSpec.of(2, 1));
      assertEquals(1, wide.layout().groups());
      assertGroupsApart(pool, wide, true);
      StorageMap mirrors = placement(pool).file(PlacementSpec.of(1, 1));
      assertEquals(3, mirrors.layout().groups());
      assertGroupsApart(pool, mirrors, true);
    }
  }

  @Test
  void theFirstGroupsAreSpreadEvenlyToo() throws WeftException {
    Map<OsdId, Integer> chosen = new TreeMap<>();
    int rounds = 6_000;
    for (int round = 0; round < rounds; round++) {
      StorageMap map = placement(pool(9, 9)).file(PlacementSpec.of(2, 1));
      map.components().subList(0, 3).forEach(osd -> chosen.merge(osd, 1, Integer::sum));
    }
    assertEquals(9, chosen.size());
    for (int count : chosen.values()) {
      assertEquals(rounds / 3.0, count, rounds * 0.05);
    }
  }

  @Test
  void requestedGroupsShareThePoolIfTheCodeIsOpen() throws WeftException {
    StorageMap map = placement(pool(12, 12)).file(new PlacementSpec(0, 1, 65_536, 10, 3));
    assertEquals(3, map.layout().groups());
    assertEquals(4, map.layout().width());
    assertRefused(
        ErrorCode.INVALID_ARGUMENT,
        "needs 12 OSDs, there are 6",
        pool(6, 6),
        new PlacementSpec(2, 1, 65_536, 10, 4));
  }

  @Test
  void refusalsSayWhatIsLacking() {
    assertRefused(ErrorCode.INVALID_ARGUMENT, "needs 9 OSDs", pool(6, 6), PlacementSpec.of(8, 1));
    OsdPool halfDown =
        new OsdPool(
            IntStream.rangeClosed(1, 6).mapToObj(id -> osd(id, "h" + id, id <= 2, ROOMY)).toList());
    assertRefused(ErrorCode.UNAVAILABLE, "osd-4 (not up)", halfDown, PlacementSpec.of(2, 1));
    OsdPool full =
        new OsdPool(
            IntStream.rangeClosed(1, 3).mapToObj(id -> osd(id, "h" + id, true, 0)).toList());
    assertRefused(ErrorCode.NO_SPACE, "osd-1 (full)", full, PlacementSpec.of(0, 1));
    assertRefused(ErrorCode.UNAVAILABLE, "there are 0", OsdPool.EMPTY, PlacementSpec.of(0, 1));
  }

  @Test
  void layoutsAreHeldToTheVolumesParityAndToBounds() {
    assertRefused(new PlacementSpec(2, 3, 65_536, 2_000, 1), "up to 2 parity units");
    assertRefused(new PlacementSpec(300, 1, 65_536, 2_000, 1), "1..255");
    assertRefused(new PlacementSpec(2, 1, 1_000, 2_000, 1), "multiple of 4096");
    assertRefused(new PlacementSpec(200, 1, 65_536, 2_000, 100), "at most 1024 components");
  }

  private static void assertRefused(PlacementSpec wanted, String text) {
    WeftException refusal = assertThrows(WeftException.class, () -> wanted.check(2));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains(text), refusal.getMessage());
  }

  private void assertRefused(ErrorCode code, String text, OsdPool pool, PlacementSpec wanted) {
    WeftException refusal = assertThrows(WeftException.class, () -> placement(pool).file(wanted));
    assertEquals(code, refusal.code(), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(text), refusal.getMessage());
  }

  private static PlacementSpec oneGroup(int data, int parity) {
    return new PlacementSpec(data, parity, 64 << 10, 2_000, 1);
  }

  private Placement placement(OsdPool pool) {
    return new Placement(pool, META_COPIES, random);
  }

  @Test
  void refusalNamesDrainedOsdsAndHowToUseThemAgain() throws WeftException {
    OsdPool two = drained(3, 1);
    assertEquals(2, placement(two).directory().components().size());
    OsdPool one = drained(3, 2);
    assertEquals(List.of(new OsdId(3)), placement(one).directory().components());
    assertEquals(1, one.upCount());
    OsdPool none = drained(3, 3);
    WeftException refusal = assertThrows(WeftException.class, () -> placement(none).directory());
    assertEquals(ErrorCode.UNAVAILABLE, refusal.code());
    assertTrue(refusal.getMessage().contains("osd-1 (draining)"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("weft osd drain --undo"), refusal.getMessage());
    assertRefused(
        ErrorCode.UNAVAILABLE, "2 are not drained; use OSDs again", drained(4, 2), oneGroup(2, 1));
  }

  private static OsdPool drained(int osds, int drained) {
    List<OsdCandidate> list = new ArrayList<>();
    for (int id = 1; id <= osds; id++) {
      int drain = id <= drained ? id : 0;
      list.add(new OsdCandidate(new OsdId(id), "host-" + id, true, false, ROOMY, 0, drain));
    }
    return new OsdPool(list);
  }

  private static OsdPool pool(int osds, int hosts) {
    List<OsdCandidate> list = new ArrayList<>();
    for (int id = 1; id <= osds; id++) {
      list.add(osd(id, "host-" + id % hosts, true, ROOMY));
    }
    return new OsdPool(list);
  }

  private static OsdCandidate osd(int id, String host, boolean up, long freeBytes) {
    return new OsdCandidate(new OsdId(id), host, up, freeBytes);
  }

  private static String hostOf(OsdPool pool, OsdId id) {
    return pool.osds().stream()
        .filter(osd -> osd.osd().equals(id))
        .findFirst()
        .orElseThrow()
        .host();
  }
}
