package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.StorageMapMessage;

class StorageMapTest {
  private static List<OsdId> osds(int... values) {
    return IntStream.of(values).mapToObj(OsdId::new).toList();
  }

  private static StorageMap randomMap(SplittableRandom random) {
    Layout layout =
        new Layout(1 + random.nextInt(9), random.nextInt(4), 65_536, 2_000, 1 + random.nextInt(3));
    List<OsdId> pool = new ArrayList<>(osds(IntStream.rangeClosed(1, 60).toArray()));
    List<OsdId> components = new ArrayList<>();
    for (int i = 0; i < layout.componentCount(); i++) {
      components.add(pool.remove(random.nextInt(pool.size())));
    }
    TreeSet<Integer> missing = new TreeSet<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      missing.add(random.nextInt(components.size()));
    }
    return new StorageMap(
        layout,
        components,
        random.nextInt(1_000),
        missing,
        List.of(pool.get(random.nextInt(pool.size()))));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void messageKeepsTheMap(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1_000; i++) {
      StorageMap map = randomMap(random);
      byte[] bytes = map.toMessage().toByteArray();
      assertEquals(map, StorageMap.fromMessage(StorageMapMessage.parseFrom(bytes)));
    }
  }

  @Test
  void componentsOnSomeOsdsAreFoundUnlessTheyAreMissing() {
    Layout layout = Layout.of(2, 1);
    StorageMap map = new StorageMap(layout, osds(7, 8, 9), 1, new TreeSet<>(List.of(1)), List.of());
    assertEquals(new TreeSet<>(List.of(0)), map.presentOn(new TreeSet<>(osds(7, 8, 5))));
    assertEquals(new TreeSet<>(), map.presentOn(new TreeSet<>()));
  }

  @Test
  void eachGroupBearsAsManyLossesAsParityUnits() {
    Layout layout = new Layout(2, 1, 65_536, 2_000, 2);
    StorageMap map = StorageMap.of(layout, osds(1, 2, 3, 4, 5, 6));
    assertTrue(map.bears(new TreeSet<>()));
    assertTrue(map.bears(new TreeSet<>(List.of(2, 3))));
    TreeSet<Integer> two = new TreeSet<>(List.of(0, 3, 5));
    assertFalse(map.bears(two));
    assertTrue(map.bearsInGroupOf(2, two));
    assertFalse(map.bearsInGroupOf(4, two));
  }

  @Test
  void numberOfComponentsMustBeTheLayouts() {
    assertRefused("needs 3 components, got 2", Layout.of(2, 1), osds(1, 2), new TreeSet<>());
  }

  @Test
  void anAttributeOnlyObjectIsWhereNoComponentIs() {
    Layout twoGroups = new Layout(1, 0, 4096, 5, 2);
    for (List<OsdId> attributeOnly : List.of(osds(2), osds(1, 3), osds(3, 3))) {
      IllegalArgumentException refusal =
          assertThrows(
              IllegalArgumentException.class,
              () -> new StorageMap(twoGroups, osds(1, 2), 1, new TreeSet<>(), attributeOnly));
      assertTrue(refusal.getMessage().contains("attribute-only"), refusal.getMessage());
    }
  }

  @Test
  void osdStandsOnceInAMapAlsoAcrossGroups() {
    assertRefused("stands twice", Layout.of(2, 1), osds(1, 2, 1), new TreeSet<>());
    Layout twoGroups = new Layout(1, 1, 4096, 5, 2);
    assertRefused("stands twice", twoGroups, osds(1, 2, 3, 1), new TreeSet<>());
    assertEquals(new OsdId(4), StorageMap.of(twoGroups, osds(1, 2, 3, 4)).osdOf(3));
  }

  @Test
  void missingComponentMustExist() {
    for (int index : new int[] {-1, 3}) {
      assertRefused(
          "no component " + index, Layout.of(2, 1), osds(1, 2, 3), new TreeSet<>(List.of(index)));
    }
  }

  private static void assertRefused(
      String rule, Layout layout, List<OsdId> components, SortedSet<Integer> missing) {
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> new StorageMap(layout, components, 1, missing, List.of()));
    assertTrue(refusal.getMessage().contains(rule), refusal.getMessage());
  }

  @Test
  void mapDoesNotChangeUnderItsHolder() {
    List<OsdId> components = new ArrayList<>(osds(1, 2, 3));
    TreeSet<Integer> missing = new TreeSet<>(List.of(1));
    StorageMap map = new StorageMap(Layout.of(2, 1), components, 1, missing, List.of());
    components.set(0, new OsdId(9));
    missing.clear();
    assertEquals(new OsdId(1), map.osdOf(0));
    assertTrue(map.isMissing(1));
    assertThrows(UnsupportedOperationException.class, () -> map.missing().add(2));
  }

  @Test
  void attributesMayStayWhereAComponentIsMissing() {
    TreeSet<Integer> missing = new TreeSet<>(List.of(0, 1));
    StorageMap map = new StorageMap(Layout.of(1, 1), osds(1, 2), 3, missing, osds(2));
    assertFalse(map.keepsAttributes(0));
    assertTrue(map.keepsAttributes(1));
    assertEquals(osds(1, 2), map.attributeHolders(3));
    assertEquals(map, StorageMap.fromMessage(map.toMessage()));
    missing.remove(1);
    assertThrows(
        IllegalArgumentException.class,
        () -> new StorageMap(Layout.of(1, 1), osds(1, 2), 3, missing, osds(2)));
  }

  @Test
  void attributesLieOnTheFirstComponentsAndThenOnTheirOwnOsds() {
    StorageMap wide = StorageMap.of(Layout.of(4, 1), osds(1, 2, 3, 4, 5));
    assertEquals(osds(1, 2, 3), wide.attributeHolders(3));
    StorageMap narrow = new StorageMap(Layout.of(1, 0), osds(1), 1, new TreeSet<>(), osds(8, 9));
    assertEquals(osds(1, 8, 9), narrow.attributeHolders(3));
    assertEquals(osds(1, 8, 9), narrow.attributeHolders(2));
    assertEquals(osds(1, 2), StorageMap.of(Layout.of(1, 1), osds(1, 2)).attributeHolders(3));
  }

  @Test
  void tagSaysWhatTheComponentIs() {
    StorageMap map =
        new StorageMap(
            new Layout(3, 1, 8192, 77, 1), osds(1, 2, 3, 4), 6, new TreeSet<>(), List.of());
    assertEquals(
        ComponentTag.newBuilder()
            .setMapGeneration(6)
            .setComponentIndex(2)
            .setDataUnits(3)
            .setParityUnits(1)
            .setUnitBytes(8192)
            .setGroups(1)
            .setGroupDepth(77)
            .build(),
        map.tag(2));
  }
}
