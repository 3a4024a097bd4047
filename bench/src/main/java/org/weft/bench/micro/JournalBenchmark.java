package org.weft.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalRecord;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.SystemEnvironment;

/**
 * What a record of a volume's journal costs until it is durable: the record of a file that is
 * closed. It lies on real files in the folder for temporary ones, on one manager alone (P 5.2). Say
 * {@code -jvmArgs -Djava.io.tmpdir=DIR} to measure another disk.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class JournalBenchmark {
  private static final int TOGETHER = 64;
  private static final int KEPT_RECORDS = 20_000;

  private SystemEnvironment system;
  private Path folder;
  private FileJournal journal;
  private JournalRecord sample;
  private long index;

  /** A journal that is new. */
  @Setup
  public void open() throws IOException, WeftException {
    BenchedVolume volume = new BenchedVolume();
    volume.create("file");
    sample = volume.journalled();
    system = SystemEnvironment.create();
    folder = Files.createTempDirectory("weft-journal-benchmark");
    journal =
        FileJournal.open(
            new FileSegmentDirectory(folder),
            new JournalIdentity(
                new PartitionId(1), new ClusterId("0123456789abcdef0123456789abcdef")),
            system.environment().scheduler(),
            system.environment().random(),
            JournalOptions.DEFAULT);
  }

  @TearDown
  public void close() throws IOException {
    journal.close();
    system.close();
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(JournalBenchmark::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One record after another, each waited for. */
  @Benchmark
  public Object one() {
    return append().join();
  }

  /** Records that come together, as of many clients; each counted. */
  @Benchmark
  @OperationsPerInvocation(TOGETHER)
  public Object together() {
    for (int record = 1; record < TOGETHER; record++) {
      var unused = append();
    }
    return append().join();
  }

  private CompletableFuture<Void> append() {
    index++;
    if (index > KEPT_RECORDS) {
      journal.dropBelow(Lsn.of(1, index - KEPT_RECORDS));
    }
    return journal
        .append(new JournalRecord(Lsn.of(1, index), sample.effects()))
        .toCompletableFuture();
  }
}
