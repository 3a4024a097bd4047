package org.weft.it.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.simulator.run.MistakeWatch;
import org.weft.simulator.run.Profile;
import org.weft.simulator.run.SeedOutcome;
import org.weft.simulator.run.Seeds;
import org.weft.simulator.run.Simulate;
import org.weft.simulator.workload.Intensity;

/**
 * Two seeds of each profile of the simulator; {@code it/simulate} runs as many as one likes. More
 * with {@code -Dweft.simulation.seeds=N}, from {@code -Dweft.simulation.first=N} on.
 */
class SimulationTest {
  private static final long FIRST = Long.getLong("weft.simulation.first", 1);
  private static final int SEEDS = Integer.getInteger("weft.simulation.seeds", 0);

  /** Kinds of faults differ among them; 6 has gateways of NFS in the profile of locks. */
  private static List<Long> chosen(Profile profile) {
    return List.of(profile.ordinal() % 2 == 0 ? 1L : 4L, 6L);
  }

  @BeforeAll
  static void silence() {
    Simulate.silence();
  }

  @ParameterizedTest
  @EnumSource
  void randomSeedsKeepAllPromises(Profile profile) throws InterruptedException, IOException {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    for (long seed : seeds(profile)) {
      String[] arguments = {"--profile", profile.word(), "--seeds", seed + ".." + seed};
      assertEquals(
          0, Simulate.run(arguments, out, out), () -> output.toString(StandardCharsets.UTF_8));
    }
  }

  private static List<Long> seeds(Profile profile) {
    return SEEDS == 0 ? chosen(profile) : LongStream.range(FIRST, FIRST + SEEDS).boxed().toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"CLUSTER", "SHARED", "GATHER", "HOT"})
  void noMistakeIsThrownUnheard(Profile profile) throws IOException {
    MistakeWatch watch = new MistakeWatch();
    for (long seed = FIRST; seed < FIRST + Math.max(1, SEEDS / 10); seed++) {
      Seeds.run(profile, seed, Seeds.intensity(seed), Integer.MAX_VALUE, false);
    }
    assertEquals(Set.of(), watch.end());
  }

  @Test
  void mistakeInAnIgnoredFutureIsReported() throws IOException {
    MistakeWatch watch = new MistakeWatch();
    var unused =
        CompletableFuture.completedFuture(List.<Integer>of()).thenApply(empty -> empty.get(7));
    SortedSet<String> heard = watch.end();
    assertEquals(1, heard.size(), heard::toString);
    assertTrue(heard.first().contains("IndexOutOfBounds"), heard::toString);
  }

  @Test
  void aSeedIsTheSameEachTime() {
    SeedOutcome first =
        Seeds.run(Profile.CLUSTER, 9, Intensity.EVERYTHING, Integer.MAX_VALUE, false);
    SeedOutcome again =
        Seeds.run(Profile.CLUSTER, 9, Intensity.EVERYTHING, Integer.MAX_VALUE, true);
    assertEquals(first.traceHash(), again.traceHash());
    assertEquals(first.events(), again.events());
    assertTrue(again.trace().size() > 1_000);
    SeedOutcome other =
        Seeds.run(Profile.CLUSTER, 10, Intensity.EVERYTHING, Integer.MAX_VALUE, false);
    assertNotEquals(first.traceHash(), other.traceHash());
  }

  @Test
  void simulateCommandNamesItsWrongArguments() throws InterruptedException, IOException {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
    assertEquals(2, Simulate.run(new String[] {"--profile", "clutser"}, out, out));
    assertTrue(output.toString(StandardCharsets.UTF_8).contains("no profile 'clutser'"));
    assertEquals(2, Simulate.run(new String[] {"--seeds", "5"}, out, out));
    assertEquals(0, Simulate.run(new String[] {"--help"}, out, out));
  }
}
