package org.weft.engines;

import java.io.FileNotFoundException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A Flink job whose input, sinks, checkpoints and savepoints lie on Weft. It fails by itself in the
 * middle of files. Its whole process is killed and started again from the last checkpoint. Each row
 * counts once for all that.
 */
final class FlinkJob implements Job {
  static final int ROWS_PER_FILE = 700;

  private static final int MIN_FILES = 4;
  private static final int KILL_EVERY = 3;
  private static final Path INPUT = new Path(FlinkDriver.INPUT);
  private static final Path LINES = new Path(FlinkDriver.LINES);
  private static final Path COUNTS = new Path(FlinkDriver.COUNTS);

  private Children.Child driver;
  private int kills;
  private int stops;

  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Configuration conf = new Configuration();
    conf.set(Run.ADDRESSES, run.contacts());
    FileSystem fs = INPUT.getFileSystem(conf);
    fs.mkdirs(INPUT);
    Path checkpoints =
        new Path(
            run.page("docs/engines/flink.md").properties(0).get("execution.checkpointing.dir"));
    int files;
    try (Children children = new Children(run)) {
      start(run, children, "-");
      files =
          run.amid(
              "a file at a time; the process is killed in every " + KILL_EVERY + "rd",
              MIN_FILES,
              number -> {
                put(fs, number);
                if (number % KILL_EVERY == KILL_EVERY - 1) {
                  // With files under way that the checkpoint knows in part.
                  awaitCheckpointAfter(fs, checkpoints, lastCheckpoint(fs, checkpoints));
                  driver.kill();
                  kills++;
                  start(run, children, lastCheckpoint(fs, checkpoints));
                }
                awaitRows(fs, LINES, (number + 1) * ROWS_PER_FILE);
              });
      run.step("a savepoint, and on from there");
      start(run, children, stop(run));
      put(fs, files);
      files++;
      awaitRows(fs, LINES, files * ROWS_PER_FILE);
      stop(run);
    }
    int rows = files * ROWS_PER_FILE;
    run.step("verifying " + rows + " rows");
    List<String> lines = new ArrayList<>();
    List<String> counts = new ArrayList<>();
    for (long id = 0; id < rows; id++) {
      lines.add(RowModel.line(id));
      counts.add(id % RowModel.DAYS + "\t" + (id / RowModel.DAYS + 1));
    }
    requireSame(lines, read(fs, LINES), "the sink of lines");
    requireSame(counts, read(fs, COUNTS), "the sink of counts");
    long failed = 0;
    for (int file = 0; file < files; file++) {
      failed += Files.exists(run.scratch().resolve("failed-" + file)) ? 1 : 0;
    }
    Run.requireEquals((long) (files + 1) / FlinkDriver.FAIL_EVERY, failed, "failures of the job");
    return rows
        + " rows of "
        + files
        + " files, each once in both sinks; the job failed "
        + failed
        + " times, its process was killed "
        + kills
        + " times, and it went on from a savepoint";
  }

  private void start(Run run, Children children, String from) throws Exception {
    driver = children.job("flink-driver", from, stopFile(run).toString());
  }

  private java.nio.file.Path stopFile(Run run) {
    return run.scratch().resolve("stop-" + stops);
  }

  /** Stops it; what it printed ends with the savepoint. */
  private String stop(Run run) throws Exception {
    Files.createFile(stopFile(run));
    stops++;
    String printed = driver.await().strip();
    return printed.substring(printed.lastIndexOf(' ') + 1);
  }

  /** A whole file appears at once. */
  private static void put(FileSystem fs, int number) throws Exception {
    StringBuilder lines = new StringBuilder();
    long first = (long) number * ROWS_PER_FILE;
    for (long id = first; id < first + ROWS_PER_FILE; id++) {
      lines.append(RowModel.line(id)).append('\n');
    }
    Path staged = new Path(INPUT.getParent(), "staged-" + number);
    try (FSDataOutputStream out = fs.create(staged, true)) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
    Path whole = new Path(INPUT, String.format("%05d.txt", number));
    Run.require(fs.rename(staged, whole), "cannot rename to " + whole);
  }

  private void awaitRows(FileSystem fs, Path dir, int count) throws Exception {
    driver.until(
        () -> dir + " has fewer than " + count + " rows",
        () -> {
          int rows = read(fs, dir).size();
          Run.require(rows <= count, dir + " has " + rows + " rows of " + count);
          return rows == count;
        });
  }

  private void awaitCheckpointAfter(FileSystem fs, Path checkpoints, String last) throws Exception {
    driver.until(
        () -> "there is no checkpoint after " + last,
        () -> !lastCheckpoint(fs, checkpoints).equals(last));
  }

  /** The one whose metadata was written last; "-" for none. */
  private static String lastCheckpoint(FileSystem fs, Path checkpoints) throws Exception {
    FileStatus[] all = fs.globStatus(new Path(checkpoints, "*/chk-*/_metadata"));
    String last = "-";
    long latest = -1;
    for (FileStatus each : all == null ? new FileStatus[0] : all) {
      if (each.getLen() > 0 && each.getModificationTime() > latest) {
        latest = each.getModificationTime();
        last = each.getPath().getParent().toString();
      }
    }
    return last;
  }

  /** The lines of a sink's committed files. */
  private static List<String> read(FileSystem fs, Path dir) throws Exception {
    List<String> lines = new ArrayList<>();
    FileStatus[] files;
    try {
      files = fs.listStatus(dir);
    } catch (FileNotFoundException e) {
      return lines;
    }
    for (FileStatus each : files) {
      if (!each.getPath().getName().startsWith(".")) {
        try (FSDataInputStream in = fs.open(each.getPath())) {
          new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
        }
      }
    }
    return lines;
  }

  private static void requireSame(List<String> expected, List<String> actual, String what) {
    Collections.sort(expected);
    Collections.sort(actual);
    Run.requireEquals(expected.size(), actual.size(), what + ", its rows");
    for (int i = 0; i < expected.size(); i++) {
      Run.requireEquals(expected.get(i), actual.get(i), what);
    }
  }
}
