package org.weft.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MapReduce in the process of a stock client, with both algorithms of Hadoop's committer. */
@Tag("long")
class MapReduceIT {
  private static final int LINES = 2000;

  @TempDir Path work;

  @ParameterizedTest
  @CsvSource({"3.4.0, 1", "3.4.0, 2", "3.5.0, 1", "3.5.0, 2"})
  void aJobCommitsWhatItsReducersSorted(String release, int algorithm) throws Exception {
    String dir = "/tmp/sorting-" + release + "-" + algorithm;
    List<String> lines =
        IntStream.range(0, LINES).mapToObj(line -> "line " + line * 7919 % LINES + "\t").toList();
    Path first = Files.write(work.resolve("first"), lines.subList(0, LINES / 3));
    Path second = Files.write(work.resolve("second"), lines.subList(LINES / 3, LINES));
    List<List<String>> commands =
        List.of(
            List.of("-mkdir", "-p", dir + "/in"),
            List.of("-put", first.toString(), second.toString(), dir + "/in"),
            List.of(
                SortingJob.class.getName(),
                "-Dmapreduce.fileoutputcommitter.algorithm.version=" + algorithm,
                dir + "/in",
                dir + "/out"),
            List.of("-cat", dir + "/out/part-r-00000"),
            List.of("-cat", dir + "/out/part-r-00001"),
            List.of("-test", "-z", dir + "/out/_SUCCESS"),
            List.of("-count", dir + "/out"),
            List.of("-rm", "-r", "-skipTrash", dir));
    List<StockClient.Outcome> outcomes = new StockClient(release, work).run(commands);
    assertEquals(commands.size(), outcomes.size());
    assertTrue(outcomes.stream().allMatch(each -> each.exit() == 0), outcomes::toString);
    List<String> parts = new ArrayList<>();
    for (int part = 3; part <= 4; part++) {
      List<String> written = outcomes.get(part).printed().lines().toList();
      assertEquals(sorted(written), written);
      parts.addAll(written);
    }
    assertEquals(sorted(lines), sorted(parts));
    // Two parts and _SUCCESS: nothing temporary is left.
    assertTrue(outcomes.get(6).printed().trim().matches("1\\s+3\\s.*"), outcomes::toString);
  }

  private static List<String> sorted(List<String> lines) {
    return lines.stream().sorted().toList();
  }
}
