package org.weft.engines;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Hadoop's own examples, each map and reduce in the job's process: WordCount, TeraSort and its
 * check.
 */
final class MapReduceJob implements Job {
  private static final int KEY_BYTES = 10;
  private static final int ROW_BYTES = 100;
  private static final String EXAMPLES = "hadoop jar hadoop-mapreduce-examples.jar ";
  private static final int TERA_ROWS = 50_000;
  private static final int LINES = 20_000;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Page page = run.page("docs/engines/mapreduce.md");
    try (Children children = new Children(run)) {
      HadoopPrograms hadoop =
          new HadoopPrograms(
              run,
              page,
              children,
              Map.of(
                  "hadoop.tmp.dir",
                  run.scratch().resolve("hadoop").toString(),
                  "mapreduce.job.maps",
                  "2"));
      Map<String, Long> words = writeWords(run.scratch().resolve("words.txt"));
      hadoop.replacing("/data/words.txt", run.scratch().resolve("words.txt").toString());
      int commands = hadoop.runPage();
      Run.requireEquals(
          words, counted(hadoop.run("hadoop fs -cat /words/counts/part-r-*")), "words");

      byte[][] sorted = sortedHere(run, hadoop, TERA_ROWS);
      int rounds =
          run.amid(
              "teragen, terasort, teravalidate",
              1,
              number -> {
                String dir = "/tera/" + number;
                generateAndSort(hadoop, TERA_ROWS, dir);
                hadoop.run(EXAMPLES + "teravalidate " + dir + "/out " + dir + "/report");
                requireSorted(run, hadoop, dir, number, sorted);
              });
      return words.size()
          + " words counted; "
          + rounds
          + " times "
          + TERA_ROWS
          + " rows sorted by two reducers, each byte as sorted here; "
          + commands
          + " commands of the page";
    }
  }

  /** TeraGen's rows in a new directory, and sorted by two reducers. */
  static void generateAndSort(HadoopPrograms hadoop, int rows, String dir) throws Exception {
    hadoop.run(EXAMPLES + "teragen " + rows + " " + dir + "/in");
    hadoop.run(
        EXAMPLES + "terasort -Dmapreduce.job.reduces=2 " + dir + "/in " + dir + "/out");
  }

  private static void requireSorted(
      Run run, HadoopPrograms hadoop, String dir, int number, byte[][] sorted) throws Exception {
    String report = hadoop.run("hadoop fs -cat " + dir + "/report/part-r-00000");
    Run.require(
        report.startsWith("checksum") && !report.contains("error"), "TeraValidate says " + report);
    requireSame(run, hadoop, dir, number, sorted);
  }

  /** TeraGen's rows, made and sorted without Weft. */
  static byte[][] sortedHere(Run run, HadoopPrograms hadoop, int rows) throws Exception {
    run.step("the same rows without Weft");
    Path local = run.scratch().resolve("tera");
    hadoop.run(
        "hadoop jar hadoop-mapreduce-examples.jar teragen -Dmapreduce.framework.name=local"
            + " -Dmapreduce.job.maps=1 "
            + rows
            + " "
            + local.toUri());
    return sorted(Files.readAllBytes(local.resolve("part-m-00000")), rows);
  }

  /** What two reducers wrote to {@code dir/out} is what was sorted here. */
  static void requireSame(Run run, HadoopPrograms hadoop, String dir, int number, byte[][] sorted)
      throws Exception {
    Path got = run.scratch().resolve("sorted-" + number);
    hadoop.run("hadoop fs -get " + dir + "/out " + got);
    List<byte[]> rows = new ArrayList<>();
    for (String part : List.of("part-r-00000", "part-r-00001")) {
      rows.addAll(Arrays.asList(rows(Files.readAllBytes(got.resolve(part)))));
    }
    Run.require(
        Arrays.deepEquals(sorted, rows.toArray(byte[][]::new)),
        dir + " is not what was sorted here");
  }

  private static byte[][] rows(byte[] bytes) {
    Run.requireEquals(0, bytes.length % ROW_BYTES, "bytes beyond whole rows");
    byte[][] rows = new byte[bytes.length / ROW_BYTES][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Arrays.copyOfRange(bytes, i * ROW_BYTES, (i + 1) * ROW_BYTES);
    }
    return rows;
  }

  private static byte[][] sorted(byte[] bytes, int count) {
    byte[][] rows = rows(bytes);
    Run.requireEquals(count, rows.length, "rows generated");
    Arrays.sort(rows, (a, b) -> Arrays.compareUnsigned(a, 0, KEY_BYTES, b, 0, KEY_BYTES));
    return rows;
  }

  /** Writes a text; how often each of its words is in it. */
  static Map<String, Long> writeWords(Path file) throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    StringBuilder text = new StringBuilder();
    for (int line = 0; line < LINES; line++) {
      String first = "word" + (line * 7919 % 1009);
      String second = "other" + (line % 97);
      text.append(first).append(' ').append(second).append('\n');
      counts.merge(first, 1L, Long::sum);
      counts.merge(second, 1L, Long::sum);
    }
    Files.writeString(file, text.toString(), StandardCharsets.UTF_8);
    return counts;
  }

  /** What WordCount wrote. */
  static Map<String, Long> counted(String printed) {
    Map<String, Long> counts = new TreeMap<>();
    try (Stream<String> lines = printed.lines()) {
      lines
          .map(line -> line.split("\t"))
          .forEach(pair -> counts.put(pair[0], Long.valueOf(pair[1])));
    }
    return counts;
  }
}
