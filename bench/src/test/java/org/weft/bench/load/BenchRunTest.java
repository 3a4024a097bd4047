package org.weft.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class BenchRunTest {
  private static final BenchSettings SMALL =
      new BenchSettings("/work", 3, 300_000, 0, 5, 60, 4, 1, 2, false, true);

  private final MemoryBenchFiles files = new MemoryBenchFiles();
  private final BenchRun run =
      new BenchRun(files, new CpuMeter(), (workload, threads, number, warmup, rate) -> {});

  @ParameterizedTest
  @EnumSource(Workload.class)
  void everyLoadDoesItsWorkAndLeavesNothingBehind(Workload workload) throws IOException {
    Measurement done = run.run(workload, SMALL);

    assertEquals(2, done.rates().length);
    assertTrue(done.leastRate() > 0 && done.leastRate() <= done.mostRate());
    assertTrue(done.operations() > 0);
    assertEquals(done.operations(), done.latencies().getTotalCount());
    assertTrue(files.files.isEmpty(), files.files.keySet()::toString);
  }

  @Test
  void bytesAreTheSameWhateverTheSizeOfTheReads() throws IOException {
    for (int io : new int[] {100, 4_096, 5_000, 65_536}) {
      Measurement done = run.run(Workload.STREAM_READ, SMALL.with(SMALL.threads(), io));

      assertEquals(io, done.ioBytes());
    }
  }

  @Test
  void aStreamCountsTheBytesOfTheFilesAlone() throws IOException {
    Measurement done = run.run(Workload.STREAM_WRITE, SMALL);

    assertEquals(2L * 3 * 300_000, done.bytes());
  }

  @Test
  void operationsStopAtTheirBound() throws IOException {
    Measurement done = run.run(Workload.CREATE, SMALL);

    assertEquals(2L * 3 * 4, done.operations());
  }

  @Test
  void wrongBytesFailTheLoadAndAreNamed() {
    BenchFiles lying =
        new DelegatingFiles(files) {
          @Override
          public Input open(String path) throws IOException {
            files.files.get(path)[200_000] ^= 1;
            return super.open(path);
          }
        };

    IOException failure =
        assertThrows(
            IOException.class,
            () ->
                new BenchRun(lying, new CpuMeter(), (w, t, n, warmup, rate) -> {})
                    .run(Workload.STREAM_READ, SMALL));

    assertTrue(failure.getMessage().contains("byte 200000"), failure.getMessage());
  }

  @Test
  void aFailureOfOneThreadEndsTheLoad() {
    BenchFiles full =
        new DelegatingFiles(files) {
          @Override
          public Output create(String path) throws IOException {
            if (path.contains("thread-1")) {
              throw new IOException("no space");
            }
            return super.create(path);
          }
        };

    assertEquals(
        "no space",
        assertThrows(
                IOException.class,
                () ->
                    new BenchRun(full, new CpuMeter(), (w, t, n, warmup, rate) -> {})
                        .run(Workload.CREATE, SMALL))
            .getMessage());
  }

  @Test
  void measurementsComeAsTableAndAsJsonLines(@TempDir Path directory) throws IOException {
    BenchOptions options = new BenchOptions();
    Path kept = directory.resolve("kept");
    var unused =
        new CommandLine(options)
            .parseArgs(
                "create,stat",
                "--threads=1,2",
                "--count=3",
                "--reps=1",
                "--warmup=0",
                "--files=4",
                "--label=here",
                "--json-lines=" + kept);
    StringWriter table = new StringWriter();

    options.run(files, new PrintWriter(table), new PrintWriter(new StringWriter()), false);

    assertEquals(5, table.toString().lines().count());
    assertTrue(table.toString().contains("op/s"));
    JsonNode first = new ObjectMapper().readTree(Files.readAllLines(kept).get(0));
    assertEquals(4, Files.readAllLines(kept).size());
    assertEquals("create", first.get("workload").asText());
    assertEquals("here", first.get("label").asText());
    assertEquals(3, first.get("operations").asInt());
  }

  @Test
  void wrongOptionsSayWhatWouldBeRight() {
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> Workload.named("strem-write"))
            .getMessage()
            .contains("stream-write"));
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> BenchOptions.bytes("1 GB"))
            .getMessage()
            .contains("1 GB"));
    assertEquals(3L << 20, BenchOptions.bytes("3m"));
  }
}
