package org.weft.metadata.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.BladeSetRow;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.DomainWish;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** Fault domains above the host, whatever chance draws (P 4.1, 6.8). */
class RackPlacementTest {
  private static final int PLACEMENTS = 10_000;
  private static final long ROOMY = 1L << 40;

  private final SplittableRandom random = new SplittableRandom(95_430_000);

  private static OsdCandidate osd(int id, String host, String rack, boolean up) {
    return new OsdCandidate(new OsdId(id), host, up, !up, ROOMY, ROOMY, 0, rack);
  }

  /** Racks of two to four hosts with one or two OSDs each. */
  private List<OsdCandidate> racks(int racks) {
    List<OsdCandidate> osds = new ArrayList<>();
    for (int rack = 0; rack < racks; rack++) {
      int hosts = 2 + random.nextInt(3);
      for (int host = 0; host < hosts; host++) {
        int each = 1 + random.nextInt(2);
        for (int osd = 0; osd < each; osd++) {
          osds.add(osd(osds.size() + 1, rack + "-" + host, "rack-" + rack, true));
        }
      }
    }
    return osds;
  }

  private static String rack(OsdPool pool, OsdId id) {
    return pool.osds().stream()
        .filter(each -> each.osd().equals(id))
        .findFirst()
        .orElseThrow()
        .rack();
  }

  private static void assertApart(OsdPool pool, StorageMap map) {
    int width = map.layout().width();
    for (int first = 0; first < map.components().size(); first += width) {
      Set<String> racks = new HashSet<>();
      for (int component = first; component < first + width; component++) {
        assertTrue(racks.add(rack(pool, map.osdOf(component))), () -> "two in one rack: " + map);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"AUTO", "RACK"})
  void groupsNeverShareARackInTenThousandMaps(String wish) throws WeftException {
    OsdPool pool = new OsdPool(racks(7), FaultDomain.Wish.valueOf(wish));
    Placement placement = new Placement(pool, 3, random);
    for (int round = 0; round < PLACEMENTS; round++) {
      int parity = 1 + random.nextInt(2);
      int data = 1 + random.nextInt(7 - parity);
      assertApart(pool, placement.file(PlacementSpec.of(data, parity)));
      assertApart(pool, placement.directory());
    }
  }

  @Test
  void anAttributeCopyIsInAnotherRackToo() throws WeftException {
    OsdPool pool = new OsdPool(racks(4), FaultDomain.Wish.AUTO);
    for (int round = 0; round < PLACEMENTS; round++) {
      StorageMap map = new Placement(pool, 4, random).file(oneGroup(1, 1));
      Set<String> racks = new HashSet<>();
      map.components().forEach(each -> racks.add(rack(pool, each)));
      map.attributeOsds().forEach(each -> racks.add(rack(pool, each)));
      assertEquals(4, racks.size(), map::toString);
    }
  }

  private static PlacementSpec oneGroup(int data, int parity) {
    return new PlacementSpec(data, parity, 64 << 10, 2_000, 1);
  }

  @Test
  void hostsSeparateGroupsWhereRacksDoNotSuffice() throws WeftException {
    OsdPool pool = new OsdPool(racks(3), FaultDomain.Wish.AUTO);
    for (int round = 0; round < 1_000; round++) {
      StorageMap map = new Placement(pool, 3, random).file(oneGroup(4, 1));
      Set<String> hosts = new HashSet<>();
      for (OsdId id : map.components()) {
        String host =
            pool.osds().stream().filter(each -> each.osd().equals(id)).findFirst().get().host();
        assertTrue(hosts.add(host), map::toString);
      }
    }
  }

  @Test
  void lostRackIsWithinParityAndIsRebuiltInOtherRacks() throws WeftException {
    List<OsdCandidate> all = racks(6);
    OsdPool pool = new OsdPool(all, FaultDomain.Wish.RACK);
    List<StorageMap> maps = new ArrayList<>();
    for (int round = 0; round < 2_000; round++) {
      maps.add(new Placement(pool, 3, random).file(oneGroup(0, 1)));
    }
    for (int lost = 0; lost < 6; lost++) {
      String rack = "rack-" + lost;
      OsdPool left =
          new OsdPool(
              all.stream()
                  .map(
                      each ->
                          osd(
                              each.osd().value(),
                              each.host(),
                              each.rack(),
                              !each.rack().equals(rack)))
                  .toList(),
              FaultDomain.Wish.RACK);
      Spares spares = new Spares(left, Map.of(), random);
      for (StorageMap map : maps) {
        int gone = 0;
        for (int component = 0; component < map.components().size(); component++) {
          if (rack(pool, map.osdOf(component)).equals(rack)) {
            gone++;
            OsdId spare = spares.choose(map, component, 1, Set.of()).orElseThrow();
            List<OsdId> moved = new ArrayList<>(map.components());
            moved.set(component, spare);
            assertApart(pool, StorageMap.of(map.layout(), moved));
          }
        }
        assertTrue(
            gone <= map.layout().groups(), () -> "a group lost more than its parity: " + map);
      }
    }
  }

  @Test
  void spareIsInAnotherRackOrElseOnAnotherHost() {
    List<OsdCandidate> osds =
        List.of(
            osd(1, "a", "r1", true),
            osd(2, "b", "r2", true),
            osd(3, "c", "r3", false),
            osd(4, "a", "r1", true),
            osd(5, "d", "r2", true),
            osd(6, "e", "r4", true));
    StorageMap map = StorageMap.of(oneGroup(2, 1).toLayout(2, 1), ids(1, 2, 3));
    for (int round = 0; round < 200; round++) {
      assertEquals(6, spare(osds, map).value());
      assertEquals(5, spare(osds.subList(0, 5), map).value());
      assertEquals(4, spare(osds.subList(0, 4), map).value());
    }
  }

  private OsdId spare(List<OsdCandidate> osds, StorageMap map) {
    return new Spares(new OsdPool(osds), Map.of(), random)
        .choose(map, 2, 1, Set.of())
        .orElseThrow();
  }

  private static List<OsdId> ids(int... ids) {
    List<OsdId> all = new ArrayList<>();
    for (int id : ids) {
      all.add(new OsdId(id));
    }
    return all;
  }

  @Test
  void poolHasOnlyTheOsdsAndTheDomainOfItsBladeSet() throws WeftException {
    ClusterTable.Builder table =
        ClusterTable.newBuilder()
            .setVersion(3)
            .addBladeSets(
                BladeSetRow.newBuilder().setName("fast").setDomain(DomainWish.DOMAIN_RACK));
    for (int id = 1; id <= 12; id++) {
      table.addOsds(
          OsdRow.newBuilder()
              .setOsdId(id)
              .setState(NodeState.UP)
              .setBladeSet(id % 2 == 0 ? "fast" : "default")
              .setHost("host-" + id)
              .setRack("rack-" + id % 3)
              .setCapacityBytes(ROOMY));
    }
    OsdPool pool = OsdPool.of(table.build(), "fast", new PartitionId(1));
    assertEquals(FaultDomain.Wish.RACK, pool.wish());
    for (int round = 0; round < 1_000; round++) {
      StorageMap map = new Placement(pool, 3, random).file(PlacementSpec.of(0, 1));
      assertEquals(2, map.layout().width(), "three racks, and one of them is left out");
      map.components().forEach(each -> assertEquals(0, each.value() % 2, map::toString));
    }
    assertEquals(
        FaultDomain.Wish.AUTO, OsdPool.of(table.build(), "default", new PartitionId(1)).wish());
  }
}
