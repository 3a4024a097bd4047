package org.weft.it.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.simulator.run.Profile;
import org.weft.simulator.run.SeedOutcome;
import org.weft.simulator.run.Seeds;
import org.weft.simulator.run.Simulate;
import org.weft.simulator.workload.Intensity;

/**
 * Seeds of the simulator that once failed: each third one, all with {@code
 * -Dweft.simulation.kept=all}.
 */
class KeptSeedsTest {
  private static final boolean ALL = "all".equals(System.getProperty("weft.simulation.kept"));

  @BeforeAll
  static void silence() {
    Simulate.silence();
  }

  /** A seed that once failed. */
  record Kept(Profile profile, Intensity faults, long seed, String why) {
    static Kept of(String line) {
      String[] words = line.split(" ", 4);
      return new Kept(
          Profile.of(words[0]),
          Intensity.valueOf(words[1].toUpperCase(Locale.ROOT)),
          Long.parseLong(words[2]),
          words[3]);
    }
  }

  static List<Kept> kept() throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    KeptSeedsTest.class.getResourceAsStream(
                        "/org/weft/it/simulation/kept-seeds.txt")),
                StandardCharsets.UTF_8))) {
      Stream<String> seeds = lines.lines().filter(line -> !line.startsWith("#"));
      List<Kept> kept = seeds.map(Kept::of).toList();
      return IntStream.range(0, kept.size())
          .filter(index -> ALL || index % 3 == 0)
          .mapToObj(kept::get)
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("kept")
  void keptSeedsPass(Kept kept) {
    SeedOutcome outcome =
        Seeds.run(kept.profile(), kept.seed(), kept.faults(), Integer.MAX_VALUE, false);
    assertEquals(List.of(), outcome.findings(), () -> "seed " + outcome.seed());
  }
}
