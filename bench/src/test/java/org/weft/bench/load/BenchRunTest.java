package org.weft.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class BenchRunTest {
  private static final BenchSettings SMALL =
      new BenchSettings("/bench", 3, 1, 300_000, 0, 5, 0, 60, 0, 4, false, false, true, 0, 0);
  private static final BenchRun.Plan TWICE = new BenchRun.Plan(1, 0, 2);

  private final MemoryBenchFiles files = new MemoryBenchFiles();
  private final BenchRun run = over(() -> files);

  private static BenchRun over(BenchTarget target) {
    return new BenchRun(
        target,
        new CpuMeter(),
        Scene.PLAIN,
        TWICE,
        (workload, threads, number, warmup, rate) -> {});
  }

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
  void filesAreDealtOutToDirectories() throws IOException {
    BenchSettings settings =
        new BenchSettings("/bench", 1, 1, 1, 0, 5, 2, 60, 0, 5, false, false, true, 0, 0);
    try (LoadSession session = session(() -> files, Workload.SMALL_WRITE, settings)) {
      session.prepare();
      var unused = session.repeat(0);

      assertEquals(
          List.of(
              "/bench/small-write/thread-0/0-0/0-0",
              "/bench/small-write/thread-0/0-0/0-1",
              "/bench/small-write/thread-0/0-1/0-2",
              "/bench/small-write/thread-0/0-1/0-3",
              "/bench/small-write/thread-0/0-2/0-4"),
          List.copyOf(files.files.keySet()));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Workload.class,
      names = {"STAT", "OPEN_READ"})
  void coldClientsAreNewAndMeetEachFileOnce(Workload workload) throws IOException {
    BenchSettings settings =
        new BenchSettings(
            "/bench", 2, 1, 1, 0, 7, 0, 60, 0, Long.MAX_VALUE, false, true, true, 0, 0);
    AtomicInteger connected = new AtomicInteger();
    Set<String> met = new ConcurrentSkipListSet<>();
    BenchTarget counting =
        () -> {
          connected.incrementAndGet();
          return new DelegatingFiles(files) {
            @Override
            public void stat(String path) throws IOException {
              assertTrue(met.add(path), path);
              super.stat(path);
            }

            @Override
            public Input open(String path) throws IOException {
              assertTrue(met.add(path), path);
              return super.open(path);
            }
          };
        };
    try (LoadSession session = session(counting, workload, settings)) {
      session.prepare();
      for (int number = 0; number < 3; number++) {
        met.clear();

        assertEquals(14, session.repeat(number).operations());
      }
    }
    assertEquals(4, connected.get());
  }

  @Test
  void otherLoadsHaveNoColdRun() {
    BenchSettings settings =
        new BenchSettings("/bench", 2, 1, 1, 0, 7, 0, 60, 0, 9, false, true, true, 0, 0);

    assertThrows(
        IllegalArgumentException.class, () -> session(() -> files, Workload.CREATE, settings));
  }

  @Test
  void streamsGoOnForTheirLeastTime() throws IOException {
    BenchSettings settings =
        new BenchSettings("/bench", 1, 1, 5_000, 0, 1, 0, 1, 1, 1, false, false, true, 0, 0);
    for (Workload stream : List.of(Workload.STREAM_WRITE, Workload.STREAM_READ)) {
      try (LoadSession session = session(() -> files, stream, settings)) {
        session.prepare();
        Repetition done = session.repeat(0);

        assertTrue(done.bytes() > 5_000, stream::label);
        assertEquals(0, done.bytes() % 5_000);
      }
    }
  }

  @Test
  void aDeleteLoadReportsRemainingAndRemovedFiles() throws IOException {
    try (LoadSession session = session(() -> files, Workload.DELETE, SMALL)) {
      session.prepare();
      var unused = session.repeat(0);

      assertEquals(15, session.left().size());
      assertEquals(3, session.left().values().stream().filter(length -> length == 0).count());
      assertEquals(3, files.files.size());
    }
  }

  private static LoadSession session(BenchTarget target, Workload workload, BenchSettings settings)
      throws IOException {
    return new LoadSession(target, new CpuMeter(), Scene.PLAIN, workload, settings);
  }

  @Test
  void randomWritesAreGatheredIfTheLoadIsNamedForIt() throws IOException {
    Set<Boolean> asked = new ConcurrentSkipListSet<>();
    BenchFiles listening =
        new DelegatingFiles(files) {
          @Override
          public Update update(String path, boolean gathered) throws IOException {
            asked.add(gathered);
            return super.update(path, gathered);
          }
        };

    var unused = over(() -> listening).run(Workload.RANDOM_WRITE, SMALL);
    assertEquals(Set.of(false), asked);
    asked.clear();
    unused = over(() -> listening).run(Workload.GATHERED_WRITE, SMALL);
    assertEquals(Set.of(true), asked);
  }

  /** What a client calls, in order, of one file. */
  private static final class CalledFiles extends DelegatingFiles {
    private final List<String> calls = new ArrayList<>();

    CalledFiles(BenchFiles files) {
      super(files);
    }

    @Override
    public Output create(String path) throws IOException {
      Output out = super.create(path);
      return new Output() {
        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
          calls.add("write " + length);
          out.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
          calls.add("flush");
          out.flush();
        }

        @Override
        public void sync() throws IOException {
          calls.add("sync");
          out.sync();
        }

        @Override
        public void close() throws IOException {
          out.close();
        }
      };
    }

    @Override
    public Update update(String path, boolean gathered) throws IOException {
      assertTrue(gathered, "WRITEs are UNSTABLE");
      Update update = super.update(path, true);
      return new Update() {
        @Override
        public void write(long positionBytes, byte[] bytes, int length) throws IOException {
          calls.add("write " + length);
          update.write(positionBytes, bytes, length);
        }

        @Override
        public void awaitReplies() {
          calls.add("replies");
        }

        @Override
        public void flush() throws IOException {
          calls.add("sync");
          update.flush();
        }

        @Override
        public void close() throws IOException {
          update.close();
        }
      };
    }
  }

  private static BenchSettings committed(long fileBytes, int operations) {
    return new BenchSettings(
        "/bench", 1, 1, fileBytes, 0, 1, 0, 60, 0, operations, false, false, true, 0, 0);
  }

  /** So the time of a sync is not that of the writes before it. */
  @Test
  void aSyncOfAStreamBeginsWhenTheWritesHaveTheirReplies() throws IOException {
    CalledFiles called = new CalledFiles(files);
    BenchSettings settings = committed(9 << 20, 3);
    try (LoadSession session = session(() -> called, Workload.COMMIT_STREAM, settings)) {
      session.prepare();
      Repetition done = session.repeat(0);

      assertEquals(3, done.operations());
      assertEquals(3, done.latencies().getTotalCount());
      assertEquals(17L << 20, done.bytes(), "8 and 1 of a file, 8 of the next one");
    }
    List<String> eight = new ArrayList<>(Collections.nCopies(8, "write " + (1 << 20)));
    eight.addAll(List.of("flush", "sync"));
    List<String> wanted = new ArrayList<>(eight);
    wanted.addAll(List.of("write " + (1 << 20), "flush", "sync"));
    wanted.addAll(eight);
    assertEquals(wanted, called.calls);
  }

  @Test
  void aSyncOfPiecesBeginsWhenTheWritesHaveTheirReplies() throws IOException {
    CalledFiles called = new CalledFiles(files);
    BenchSettings settings = committed(1 << 20, 2);
    try (LoadSession session = session(() -> called, Workload.COMMIT_PIECES, settings)) {
      session.prepare();
      called.calls.clear();
      Repetition done = session.repeat(0);

      assertEquals(2, done.operations());
      assertEquals(2, done.latencies().getTotalCount());
      assertEquals(2L << 20, done.bytes());
    }
    List<String> once = new ArrayList<>(Collections.nCopies(256, "write 4096"));
    once.addAll(List.of("replies", "sync"));
    List<String> wanted = new ArrayList<>(once);
    wanted.addAll(once);
    assertEquals(wanted, called.calls);
  }

  @Test
  void operationsStopAtTheirBound() throws IOException {
    Measurement done = run.run(Workload.CREATE, SMALL);

    assertEquals(2L * 3 * 4, done.operations());
  }

  @Test
  void unitsThatWereLateAreToldOfReadsAlone() throws IOException {
    AtomicInteger opened = new AtomicInteger();
    BenchTarget late =
        () ->
            new DelegatingFiles(files) {
              @Override
              public Input open(String path) throws IOException {
                opened.incrementAndGet();
                return super.open(path);
              }

              @Override
              public LateUnits lateUnits() {
                return new LateUnits(100 + 3 * opened.get(), 2 * opened.get(), opened.get());
              }
            };

    Measurement read = over(late).run(Workload.STREAM_READ, SMALL);
    // Two repetitions of three threads count; the warm-up and what was before do not.
    assertEquals(new LateUnits(18, 12, 6), read.late());
    assertEquals(new LateUnits(18, 12, 6).toMap(), read.toMap("").get("hedges"));
    assertTrue(read.row().endsWith("; hedges 18 started, 12 won, 6 dropped"), read.row());

    Measurement written = over(late).run(Workload.STREAM_WRITE, SMALL);
    assertFalse(written.toMap("").containsKey("hedges"));
    assertFalse(written.row().contains("hedges"), written.row());
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
        assertThrows(IOException.class, () -> over(() -> lying).run(Workload.STREAM_READ, SMALL));

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
        assertThrows(IOException.class, () -> over(() -> full).run(Workload.CREATE, SMALL))
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

    options.run(() -> files, new PrintWriter(table), new PrintWriter(new StringWriter()), false);

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
        assertThrows(IllegalArgumentException.class, () -> Sizes.bytes("1 GB"))
            .getMessage()
            .contains("1 GB"));
    assertEquals(3L << 20, Sizes.bytes("3m"));
  }
}
