package org.weft.bench.rebuild.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import picocli.CommandLine;

class ModelRunTest {
  private static final int UNIT = Layout.DEFAULT_UNIT_BYTES;
  private static final long SECOND = 1_000_000_000L;

  /** A file of so many whole stripes on disks that move one unit a second. */
  private static ModelSettings settings(int osds, int data, int parity, long stripes, int pieces) {
    return new ModelSettings(
        osds,
        1,
        data,
        parity,
        stripes * UNIT,
        stripes * data * UNIT,
        UNIT,
        4,
        100,
        1,
        1,
        pieces,
        7);
  }

  private static StorageMap map(int data, int parity, Integer... osds) {
    return StorageMap.of(Layout.of(data, parity), Arrays.stream(osds).map(OsdId::new).toList());
  }

  @Test
  void fiveOsdsReadThreeUnitsForEachOneThatTheFifthWrites() {
    ModelOutcome outcome =
        ModelRun.of(settings(5, 3, 1, 2, 1), Set.of(new OsdId(2)), List.of(map(3, 1, 1, 2, 3, 4)));

    long component = 2L * UNIT;
    assertArrayEquals(new long[] {component, 0, component, component, 0}, outcome.readBytes());
    assertArrayEquals(new long[] {0, 0, 0, 0, component}, outcome.writtenBytes());
    assertEquals(4.0 / 3, outcome.readHighestOverMean(), 1e-9);
    assertEquals(4, outcome.writtenHighestOverMean(), 1e-9);
    // Two seconds to read a component of two units from three disks at once, two to write it.
    assertEquals(4, writing(outcome), 1e-6);
    RebuiltComponent rebuilt = outcome.components().get(0);
    assertEquals(outcome.begunNanos() + 4 * SECOND, rebuilt.finishedNanos());
    assertEquals(0, rebuilt.left());
    assertEquals(List.of(new OsdId(1), new OsdId(3), new OsdId(4)), rebuilt.partners());
    assertEquals(3 * (10 + outcome.seconds()), outcome.criticalOsdSeconds(10), 1e-6);
  }

  /** Without the search for what is lost. */
  private static double writing(ModelOutcome outcome) {
    return outcome.seconds() - outcome.begunSeconds();
  }

  @Test
  void aPieceIsWrittenWhileTwoAreRead() {
    ModelOutcome outcome =
        ModelRun.of(settings(5, 3, 1, 2, 2), Set.of(new OsdId(2)), List.of(map(3, 1, 1, 2, 3, 4)));

    // Both are asked for at once: read after one second and two, written after two and three.
    assertEquals(3, writing(outcome), 1e-6);
  }

  @Test
  void groupsWithoutSpareParityAreRebuiltFirst() {
    ModelSettings alone = settings(8, 3, 2, 1, 1);
    ModelSettings oneByOne =
        new ModelSettings(
            8, 1, 3, 2, alone.usedBytes(), alone.fileBytes(), UNIT, 1, 100, 1, 1, 1, 7);
    ModelOutcome outcome =
        ModelRun.of(
            oneByOne,
            Set.of(new OsdId(1), new OsdId(2)),
            List.of(map(3, 2, 1, 3, 4, 5, 6), map(3, 2, 2, 4, 5, 6, 7), map(3, 2, 1, 2, 3, 4, 5)));

    assertEquals(
        List.of(0, 1, 1, 1), outcome.components().stream().map(RebuiltComponent::left).toList());
    assertTrue(
        outcome.criticalOsdSeconds(0) < outcome.exposedOsdSeconds(0),
        "one of the groups is in danger for a part of the time");
  }

  @Test
  void aPauseByTheShareTakesTheTimeThatThePieceTook() {
    ModelSettings half =
        new ModelSettings(5, 1, 3, 1, 4L * UNIT, 4L * 3 * UNIT, UNIT, 1, 50, 1, 1, 4, 7);
    ModelOutcome outcome = ModelRun.of(half, Set.of(new OsdId(2)), List.of(map(3, 1, 1, 2, 3, 4)));

    // Both lanes begin at 0. One has written after 2 s, pauses as long, and writes again until 6;
    // the
    // other, behind it on the disks, until 3, and from 6 to 8. A pause of 2 s comes before the end.
    assertEquals(10, writing(outcome), 1e-6);
  }

  @Test
  void aVolumeIsRebuiltFasterTheMoreManagersCopyForIt() throws Exception {
    ModelSettings alone =
        new ModelSettings(40, 1, 4, 1, 4_000L << 20, 8L << 20, 1e8, 4, 50, 1, 1, 2, 3);

    double one = ModelRun.of(alone, 1).seconds();
    double two = ModelRun.of(alone.withManagers(2), 1).seconds();
    double all = ModelRun.of(alone.withManagers(100), 1).seconds();

    assertTrue(two < 0.7 * one, two + " s with two managers, " + one + " s with one");
    assertTrue(all < 0.9 * two, all + " s with as many as have a use, " + two + " s with two");
  }

  @Test
  void allRemainingOsdsTakePartAndASeedRepeatsTheResult() throws Exception {
    ModelSettings settings =
        new ModelSettings(40, 2, 4, 1, 4_000L << 20, 8L << 20, 1e8, 4, 100, 4, 1, 2, 3);

    ModelOutcome outcome = ModelRun.of(settings, 1);

    assertEquals(0, outcome.readBytes()[0]);
    assertEquals(0, outcome.writtenBytes()[0]);
    // The second is on the same host: no group has both.
    assertEquals(0, outcome.readBytes()[1]);
    assertTrue(Arrays.stream(outcome.readBytes()).skip(2).allMatch(bytes -> bytes > 0));
    long lost = outcome.components().stream().mapToLong(RebuiltComponent::bytes).sum();
    assertEquals(lost, Arrays.stream(outcome.writtenBytes()).sum());
    assertEquals(4 * lost, Arrays.stream(outcome.readBytes()).sum());
    assertTrue(lost >= 4_000L << 20, "an OSD was filled");
    double best = 39 * 1e8 / 5 / 1e6;
    assertTrue(
        outcome.megabytesPerSecond() > 0.3 * best && outcome.megabytesPerSecond() < best,
        () -> outcome.megabytesPerSecond() + " of " + best);
    ModelOutcome again = ModelRun.of(settings, 1);
    assertEquals(outcome.components(), again.components());
    // Two OSDs of a host hold nothing of the same group.
    assertTrue(
        outcome.components().stream().noneMatch(each -> each.partners().contains(new OsdId(2))));
  }

  @Test
  void aModelWithoutASpareSaysSo() {
    assertThrows(IllegalStateException.class, () -> ModelRun.of(settings(4, 3, 1, 2, 1), 1));
    assertThrows(IllegalArgumentException.class, () -> ModelRun.of(settings(5, 3, 1, 2, 1), 2));
    assertThrows(IllegalArgumentException.class, () -> settings(5, 3, 1, 2, 0));
  }

  @Test
  void lossesFollowFromTheSecondsInDanger() {
    ModelOutcome outcome =
        ModelRun.of(settings(5, 3, 1, 2, 1), Set.of(new OsdId(2)), List.of(map(3, 1, 1, 2, 3, 4)));
    double year = 365.25 * 86_400;
    LossRates rates = new LossRates(5, 10, 6);

    double danger = 6 + outcome.seconds();

    // 5 OSDs fail half a time a year; three others are in danger meanwhile.
    assertEquals(0.5 * 3 * danger / year / 10, rates.withOneParity(outcome), 1e-15);
    assertEquals(rates.withOneParity(outcome), rates.filesWithOneParity(outcome), 1e-15);
    // The same group as a fixed one, with a spare that is written as fast.
    assertEquals(rates.withOneParity(outcome), rates.ofFixedGroups(4, 1, danger - 6), 1e-15);
    assertEquals(
        0.5 * 3 * danger / year / 10 * 2 * danger / year / 10,
        rates.ofFixedGroups(4, 2, danger - 6),
        1e-24);
    assertEquals(0.5, LossRates.probability(Math.log(2)), 1e-12);
  }

  @Test
  void theCommandPrintsTablesAndJson() {
    String[] small = {
      "--osds=12,24", "--widths=3,9", "--width-osds=24", "--used=5e9", "--file-size=1e8"
    };
    String tables = run(small);
    assertTrue(tables.contains("| 24 | 0.3750 | 2 | "), tables);
    assertTrue(tables.contains("| fixed groups, a spare disk each | 1 | "), tables);
    String json =
        run(
            IntStream.range(0, 6)
                .mapToObj(i -> i < 5 ? small[i] : "--json")
                .toArray(String[]::new));
    assertEquals(8, json.lines().filter(line -> line.startsWith("{\"what\"")).count(), json);
  }

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    CommandLine command =
        RebuildModel.command()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(new StringWriter()));
    assertEquals(0, command.execute(arguments));
    return out.toString();
  }
}
