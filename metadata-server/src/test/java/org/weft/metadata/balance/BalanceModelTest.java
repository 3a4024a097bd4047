package org.weft.metadata.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.volume.operation.repair.MovedMaps;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.BalanceState;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * Rounds over OSDs that are not there: the sample and the targets are the real ones, and the plan
 * is computed as SysMgr computes it.
 */
class BalanceModelTest {
  private static final long CAPACITY = 1_000_000;
  private static final int BAND_PPM = 50_000;
  private static final int WIDTH = 3;
  private static final int SMALL = 40;
  private static final int LARGE = 4_000;

  /** Files in the OSDs' numbers, each with its map and the bytes of each component. */
  private static final class Model {
    private final SplittableRandom random;
    private final int osds;
    private final int perHost;
    private final List<StorageMap> maps = new ArrayList<>();
    private final List<Integer> bytes = new ArrayList<>();
    private final long[] used;
    private long movedBytes;
    private final int[] movedOfSize = new int[2];
    private final Set<Integer> movedFiles = new HashSet<>();

    Model(long seed, int osds, int perHost) {
      this.random = new SplittableRandom(seed);
      this.osds = osds;
      this.perHost = perHost;
      this.used = new long[osds + 1];
    }

    String host(OsdId osd) {
      return "host-" + (osd.value() - 1) / perHost;
    }

    /** On the first so many OSDs, until they are half full. */
    void fill(int on) {
      double most = 0.5 * CAPACITY * on;
      long all = 0;
      while (all < most) {
        int size = maps.size() % 10 == 0 ? LARGE : SMALL;
        List<OsdId> components = new ArrayList<>();
        Set<String> hosts = new HashSet<>();
        while (components.size() < WIDTH) {
          OsdId osd = new OsdId(1 + random.nextInt(on));
          boolean isOther = !components.contains(osd);
          if (isOther && (on / perHost < WIDTH || hosts.add(host(osd)))) {
            components.add(osd);
          }
        }
        components.forEach(osd -> used[osd.value()] += size);
        maps.add(StorageMap.of(Layout.of(WIDTH - 1, 1), components));
        bytes.add(size);
        all += (long) WIDTH * size;
      }
    }

    double mean() {
      long all = 0;
      for (long each : used) {
        all += each;
      }
      return (double) all / osds / CAPACITY;
    }

    double worst() {
      double worst = 0;
      for (int osd = 1; osd <= osds; osd++) {
        worst = Math.max(worst, Math.abs((double) used[osd] / CAPACITY - mean()));
      }
      return worst;
    }

    ClusterTable table(long round, Map<Integer, long[]> plan) {
      ClusterTable.Builder table = ClusterTable.newBuilder();
      table.addBalances(
          BalanceRow.newBuilder()
              .setBladeSet("default")
              .setRound(round)
              .setState(BalanceState.BALANCE_RUNNING)
              .setBandPpm(BAND_PPM));
      for (int osd = 1; osd <= osds; osd++) {
        table.addOsds(
            OsdRow.newBuilder()
                .setOsdId(osd)
                .setBladeSet("default")
                .setState(NodeState.UP)
                .setCapacityBytes(CAPACITY)
                .setUsedBytes(used[osd])
                .setBalanceLeavePpm((int) plan.get(osd)[0])
                .setBalanceComingBytes(plan.get(osd)[1]));
      }
      return table.build();
    }

    Map<Integer, long[]> plan() {
      Map<Integer, long[]> plan = new TreeMap<>();
      for (int osd = 1; osd <= osds; osd++) {
        long excess = used[osd] - Math.round(mean() * CAPACITY);
        long ppm = excess > 0 ? (long) ((double) excess / used[osd] * 1e6) : 0;
        plan.put(osd, new long[] {ppm, Math.max(0, -excess)});
      }
      return plan;
    }

    /** All volumes go through the round; usage is told to them as it was when it began. */
    void round(long number) {
      BalanceRound round = BalanceRound.of(table(number, plan()), "default").orElseThrow();
      Map<OsdId, Long> pledged = new TreeMap<>();
      List<OsdCandidate> candidates = new ArrayList<>();
      for (int osd = 1; osd <= osds; osd++) {
        OsdId id = new OsdId(osd);
        candidates.add(new OsdCandidate(id, host(id), true, CAPACITY - used[osd]));
      }
      OsdPool pool = new OsdPool(candidates);
      for (int file = 0; file < maps.size(); file++) {
        for (int component = 0; component < WIDTH; component++) {
          StorageMap map = maps.get(file);
          OsdId from = map.osdOf(component);
          if (round.leaves(from, new ObjectId(file + 1), component)) {
            int size = bytes.get(file);
            Optional<OsdId> target =
                new BalanceTargets(pool, round, pledged, random)
                    .choose(map, component, size, Set.of());
            if (target.isPresent()) {
              moved(file, component, from, target.get(), size);
              pledged.merge(target.get(), (long) size, Long::sum);
            }
          }
        }
      }
    }

    private void moved(int file, int component, OsdId from, OsdId to, int size) {
      StorageMap next = MovedMaps.component(maps.get(file), component, to);
      if (osds / perHost >= WIDTH) {
        Set<String> hosts = new HashSet<>();
        next.components().forEach(osd -> hosts.add(host(osd)));
        assertEquals(WIDTH, hosts.size(), () -> "hosts are kept: " + next);
      }
      assertEquals(WIDTH, new TreeSet<>(next.components()).size(), next::toString);
      maps.set(file, next);
      used[from.value()] -= size;
      used[to.value()] += size;
      movedBytes += size;
      movedOfSize[size == LARGE ? 1 : 0]++;
      movedFiles.add(file);
    }
  }

  @ParameterizedTest
  @CsvSource({"5,3,1", "8,6,2", "30,24,3", "100,99,1", "200,150,2"})
  void roundsBringAllWithinTheBandAndNoneGoesFarther(int osds, int filled, int perHost) {
    assertRoundsBringAllWithinTheBand(osds, filled, perHost);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"400,300,4", "1000,900,10"})
  void balanceConvergesAmongManyOsds(int osds, int filled, int perHost) {
    assertRoundsBringAllWithinTheBand(osds, filled, perHost);
  }

  private static void assertRoundsBringAllWithinTheBand(int osds, int filled, int perHost) {
    Model model = new Model(osds, osds, perHost);
    model.fill(filled);
    double before = model.worst();
    long lacking = 0;
    for (long[] each : model.plan().values()) {
      lacking += each[1];
    }
    int rounds = 0;
    while (model.worst() > BAND_PPM / 1e6) {
      double worst = model.worst();
      rounds++;
      model.round(1_000 + rounds);
      assertTrue(
          model.worst() < worst, "round " + rounds + " brings it from " + worst + " to less");
      assertTrue(rounds <= 8, "it converges: " + before + " to " + model.worst());
    }
    assertTrue(rounds > 0, "there was something to move");
    assertTrue(
        model.movedBytes < 1.3 * lacking + 20 * LARGE,
        "moved "
            + model.movedBytes
            + " where "
            + lacking
            + " were lacking: nothing goes to and fro");
  }

  @Test
  void aRoundTakesLargeFilesAsOftenAsSmallOnes() {
    Model model = new Model(7, 30, 1);
    model.fill(24);
    long small = model.bytes.stream().filter(size -> size == SMALL).count();
    long large = model.bytes.size() - small;
    model.round(77);
    double ofSmall = (double) model.movedOfSize[0] / small;
    double ofLarge = (double) model.movedOfSize[1] / large;
    assertEquals(
        1, ofLarge / ofSmall, 0.15, ofSmall + " of the small, " + ofLarge + " of the large");
  }

  @Test
  void nextManagerContinuesTheRoundWithTheSameSample() {
    Model model = new Model(3, 30, 1);
    model.fill(24);
    Map<Integer, long[]> plan = model.plan();
    BalanceRound round = BalanceRound.of(model.table(5, plan), "default").orElseThrow();
    Set<String> drawn = new TreeSet<>();
    for (int file = 1; file <= 1_000; file++) {
      for (int osd = 1; osd <= 24; osd++) {
        if (round.leaves(new OsdId(osd), new ObjectId(file), 0)) {
          drawn.add(file + " " + osd);
        }
      }
    }
    BalanceRound again = BalanceRound.of(model.table(5, plan), "default").orElseThrow();
    BalanceRound next = BalanceRound.of(model.table(6, plan), "default").orElseThrow();
    int differ = 0;
    for (int file = 1; file <= 1_000; file++) {
      for (int osd = 1; osd <= 24; osd++) {
        OsdId id = new OsdId(osd);
        boolean was = drawn.contains(file + " " + osd);
        assertEquals(was, again.leaves(id, new ObjectId(file), 0));
        differ += was != next.leaves(id, new ObjectId(file), 0) ? 1 : 0;
      }
    }
    assertTrue(differ > 1_000, "another round draws others: " + differ);
  }

  @Test
  void anOsdThatIsFullAlreadyDrainedOrDownIsNoTarget() {
    ClusterTable table =
        ClusterTable.newBuilder()
            .addBalances(
                BalanceRow.newBuilder()
                    .setBladeSet("default")
                    .setRound(9)
                    .setState(BalanceState.BALANCE_RUNNING)
                    .setBandPpm(BAND_PPM))
            .addOsds(row(1, 800, 500_000, 0))
            .addOsds(row(2, 0, 0, 400))
            .addOsds(row(3, 0, 0, 400).setDraining(true))
            .addOsds(row(4, 0, 0, 400).setState(NodeState.DOWN))
            .addOsds(row(5, 600, 0, 10))
            .build();
    BalanceRound round = BalanceRound.of(table, "default").orElseThrow();
    assertEquals(Set.of(new OsdId(2), new OsdId(5)), round.comingBytes().keySet());
    StorageMap map = StorageMap.of(Layout.of(1, 0), List.of(new OsdId(1)));
    List<OsdCandidate> osds = new ArrayList<>();
    for (int osd = 1; osd <= 5; osd++) {
      osds.add(new OsdCandidate(new OsdId(osd), "host-" + osd, true, 1_000));
    }
    for (int draw = 0; draw < 50; draw++) {
      Optional<OsdId> target =
          new BalanceTargets(new OsdPool(osds), round, Map.of(), new SplittableRandom(draw))
              .choose(map, 0, 10, Set.of());
      assertEquals(Optional.of(new OsdId(2)), target, "the others are above the band, or away");
    }
    assertFalse(
        new BalanceTargets(
                new OsdPool(osds), round, Map.of(new OsdId(2), 5_000L), new SplittableRandom(1))
            .choose(map, 0, 10, Set.of())
            .isPresent(),
        "what is on its way counts");
  }

  private static OsdRow.Builder row(int osd, long used, int leavePpm, long coming) {
    return OsdRow.newBuilder()
        .setOsdId(osd)
        .setBladeSet("default")
        .setState(NodeState.UP)
        .setCapacityBytes(1_000)
        .setUsedBytes(used)
        .setBalanceLeavePpm(leavePpm)
        .setBalanceComingBytes(coming);
  }
}
