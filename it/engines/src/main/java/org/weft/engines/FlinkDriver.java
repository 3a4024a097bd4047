package org.weft.engines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.DefaultRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/**
 * A Flink cluster in this process with one job. Lines of new files go to a file sink whose files
 * outlive checkpoints. Counted by day in keyed state, they go to a sink that rolls at each
 * checkpoint.
 */
final class FlinkDriver implements Job {
  static final String DIR = "weft://blue/jobs/flink";
  static final String INPUT = DIR + "/in/files";
  static final String LINES = DIR + "/lines";
  static final String COUNTS = DIR + "/counts";
  static final String ADDRESSES = "flink.hadoop." + Run.ADDRESSES;

  /** The first line of each file of this many makes the job fail once. */
  static final int FAIL_EVERY = 3;

  private static final long POLL_MILLIS = 200;

  /**
   * Runs from a checkpoint or savepoint, "-" for none, until it is killed or a file of this machine
   * appears, whose name is the second argument. Then it stops with a savepoint, which it prints.
   */
  @Override
  public String run(Run run, List<String> arguments) throws Exception {
    Configuration settings = new Configuration();
    run.page("docs/engines/flink.md").properties(0).forEach(settings::setString);
    Run.require(settings.containsKey(ADDRESSES), "the page does not set " + ADDRESSES);
    settings.setString(ADDRESSES, run.contacts());
    if (!arguments.get(0).equals("-")) {
      settings.setString("execution.state-recovery.path", arguments.get(0));
    }
    // As Flink's own processes do when they start.
    FileSystem.initialize(settings, null);
    StreamExecutionEnvironment flink =
        StreamExecutionEnvironment.createLocalEnvironment(2, settings);
    build(flink, run.scratch());
    JobClient job = flink.executeAsync("rows");
    Path asked = Path.of(arguments.get(1));
    Run.await(
        () -> "no savepoint was asked for",
        () -> {
          JobStatus status = job.getJobStatus().get();
          if (status.isTerminalState()) {
            job.getJobExecutionResult().get();
            throw new IOException("the job has ended: " + status);
          }
          return Files.exists(asked);
        });
    return "savepoint " + job.stopWithSavepoint(false, null, SavepointFormatType.CANONICAL).get();
  }

  private static void build(StreamExecutionEnvironment flink, Path scratch) {
    FileSource<String> source =
        FileSource.forRecordStreamFormat(
                new TextLineInputFormat(), new org.apache.flink.core.fs.Path(INPUT))
            .monitorContinuously(Duration.ofMillis(POLL_MILLIS))
            .build();
    DataStream<String> lines =
        flink
            .fromSource(source, WatermarkStrategy.noWatermarks(), "files")
            .uid("files")
            .map(new FailingOncePerFile(scratch.toString()))
            .uid("failing");
    lines
        .sinkTo(
            FileSink.forRowFormat(
                    new org.apache.flink.core.fs.Path(LINES),
                    new SimpleStringEncoder<String>("UTF-8"))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(
                    DefaultRollingPolicy.builder()
                        .withRolloverInterval(Duration.ofSeconds(4))
                        .withInactivityInterval(Duration.ofSeconds(3))
                        .build())
                .build())
        .uid("lines");
    lines
        .keyBy(new Day(), Types.STRING)
        .map(new Counting())
        .uid("counting")
        .sinkTo(
            FileSink.forRowFormat(
                    new org.apache.flink.core.fs.Path(COUNTS),
                    new SimpleStringEncoder<String>("UTF-8"))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build())
        .uid("counts");
  }

  private static String column(String line, int number) {
    return line.split("\t")[number];
  }

  /** Hands lines on, and throws at the first line of some files, once for each. */
  private static final class FailingOncePerFile implements MapFunction<String, String> {
    private static final long serialVersionUID = 1L;

    private final String scratch;

    FailingOncePerFile(String scratch) {
      this.scratch = scratch;
    }

    @Override
    public String map(String line) throws IOException {
      long id = Long.parseLong(column(line, 0));
      long file = id / FlinkJob.ROWS_PER_FILE;
      // In the middle of its file, so that there are lines that have to be taken back.
      if (file % FAIL_EVERY == 1 && id % FlinkJob.ROWS_PER_FILE == FlinkJob.ROWS_PER_FILE / 2) {
        Path failed = Path.of(scratch, "failed-" + file);
        if (!Files.exists(failed)) {
          Files.createFile(failed);
          throw new IOException("this attempt is meant to fail");
        }
      }
      return line;
    }
  }

  private static final class Day implements KeySelector<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String getKey(String line) {
      return column(line, 1);
    }
  }

  /** How many lines of its day a line is. */
  private static final class Counting extends RichMapFunction<String, String> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> count;

    @Override
    public void open(OpenContext context) {
      count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
    }

    @Override
    public String map(String line) throws IOException {
      Long before = count.value();
      long now = before == null ? 1 : before + 1;
      count.update(now);
      return column(line, 1) + "\t" + now;
    }
  }
}
