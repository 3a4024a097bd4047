package org.weft.engines;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;

/**
 * Structured Streaming whose input, sink and checkpoints lie on Weft. The driver is killed in the
 * middle of its batches, again and again; each row counts once for all that.
 */
final class StreamingJob implements Job {
  private static final int MIN_FILES = 8;
  private static final int ROWS_PER_FILE = 100;
  private static final int KILL_EVERY = 4;

  private Children.Child driver;
  private int kills;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    SparkSession spark = Sessions.of(run, run.page("docs/engines/spark.md"));
    FileSystem fs = Sessions.fileSystem(spark);
    fs.mkdirs(StreamingDriver.INPUT);
    String manager =
        CheckpointFileManager.create(StreamingDriver.FILES_CHECKPOINT, Sessions.hadoop(spark))
            .getClass()
            .getSimpleName();
    // The one whose rename over an existing name is one step.
    Run.requireEquals("FileContextBasedCheckpointFileManager", manager, "checkpoints are kept by");
    int files;
    try (Children children = new Children(run)) {
      driver = children.job("streaming-driver", "follow");
      files =
          run.amid(
              "a file at a time; the driver is killed in every " + KILL_EVERY + "th batch",
              MIN_FILES,
              number -> {
                put(fs, number);
                if (number % KILL_EVERY == KILL_EVERY - 1) {
                  // It has said what the batch is to hold, and not yet that it is done.
                  await(fs, new Path(StreamingDriver.FILES_CHECKPOINT, "offsets/" + number));
                  driver.kill();
                  kills++;
                  driver = children.job("streaming-driver", "follow");
                }
                await(fs, new Path(StreamingDriver.FILES_CHECKPOINT, "commits/" + number));
              });
      driver.kill();
      run.step("the rest");
      children.job("streaming-driver", "drain").await();
    }
    long rows = (long) files * ROWS_PER_FILE;
    run.step("verifying " + rows + " rows");
    Map<Integer, List<Long>> model = RowModel.of(rows, id -> true);
    Dataset<Row> sunk = spark.read().schema(Rows.SCHEMA).parquet(StreamingDriver.FILES.toString());
    Run.requireEquals(model, Rows.fingerprint(sunk), "the file sink");
    Run.requireEquals(countsAndSums(model), lastCounts(spark, fs), "the aggregation");
    return rows
        + " rows of "
        + files
        + " files, each once in the file sink and in the aggregation; the driver was killed "
        + (kills + 1)
        + " times";
  }

  /** A whole file appears at once, as the file source wants it. */
  private static void put(FileSystem fs, int number) throws Exception {
    StringBuilder lines = new StringBuilder();
    long first = (long) number * ROWS_PER_FILE;
    for (long id = first; id < first + ROWS_PER_FILE; id++) {
      lines.append(RowModel.json(id)).append('\n');
    }
    Path staged = new Path(StreamingDriver.INPUT.getParent(), "staged-" + number);
    try (FSDataOutputStream out = fs.create(staged, true)) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
    Path whole = new Path(StreamingDriver.INPUT, String.format("%05d.json", number));
    Run.require(fs.rename(staged, whole), "cannot rename to " + whole);
  }

  private void await(FileSystem fs, Path file) throws Exception {
    driver.until(() -> file + " does not appear", () -> fs.exists(file));
  }

  private static Map<Integer, List<Long>> countsAndSums(Map<Integer, List<Long>> model) {
    Map<Integer, List<Long>> counts = new TreeMap<>();
    model.forEach((day, sums) -> counts.put(day, sums.subList(0, 2)));
    return counts;
  }

  private static Map<Integer, List<Long>> lastCounts(SparkSession spark, FileSystem fs)
      throws Exception {
    long last = -1;
    for (FileStatus each : fs.listStatus(StreamingDriver.COUNTS)) {
      last = Math.max(last, Long.parseLong(each.getPath().getName()));
    }
    Map<Integer, List<Long>> counts = new TreeMap<>();
    String dir = new Path(StreamingDriver.COUNTS, Long.toString(last)).toString();
    for (Row row : spark.read().parquet(dir).collectAsList()) {
      counts.put(
          row.<Integer>getAs("day"), List.of(row.<Long>getAs("rows"), row.<Long>getAs("ids")));
    }
    return counts;
  }
}
