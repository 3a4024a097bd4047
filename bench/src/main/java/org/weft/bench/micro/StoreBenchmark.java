package org.weft.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WorkingKey;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.system.SystemEnvironment;

/**
 * What commands cost in an OSD's store on real files, in the folder for temporary ones, beside
 * frames and threads: a manager's batches of 64, each item counted, and the small writes of an
 * hflush, each a commit of its own. Stores grow meanwhile: compare runs of the same length.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class StoreBenchmark {
  private static final int ITEMS = 64;
  private static final int OBJECTS = 20_000;
  private static final int ATTRIBUTE_BYTES = 200;
  private static final int RECORD_BYTES = 1024;
  private static final int BLOCK_BYTES = 4096;
  private static final int UNIT_BYTES = 64 << 10;
  private static final long CAPACITY_BYTES = 8L << 30;
  private static final long RESTART_BYTES = 16L << 20;
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final Authority MANAGER = Authority.ofManager(1);
  private static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, UNIT_BYTES, 1, 2000);

  private final SplittableRandom random = new SplittableRandom(5);
  private SystemEnvironment system;
  private Path folder;
  private ObjectStore store;
  private long nextObject = 1L << 16;
  private long lsn = Lsn.of(1, 1).value();
  private long appendedTo;
  private long appendedBytes;
  private long sequence;

  /** A store with some thousand objects. */
  @Setup
  public void open() throws IOException {
    system = SystemEnvironment.create();
    folder = Files.createTempDirectory("weft-store-benchmark");
    store =
        new StoreFolder(folder).open(StoreOptions.ofCapacity(CAPACITY_BYTES), system.environment());
    var unused =
        store
            .apply(new PartitionUpdate(VOLUME, List.of(new WorkingKey(1, new byte[32])), 1))
            .toCompletableFuture()
            .join();
    for (int made = 0; made < OBJECTS; made += ITEMS) {
      create();
    }
  }

  @TearDown
  public void close() throws IOException {
    store.close();
    system.close();
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(StoreBenchmark::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Attributes of new files, each flushed for the first time. */
  @Benchmark
  @OperationsPerInvocation(ITEMS)
  public List<MutationOutcome> create() {
    List<Mutation> items = new ArrayList<>(ITEMS);
    for (int item = 0; item < ITEMS; item++) {
      items.add(attributes(nextObject++, Optional.of(TAG)));
    }
    return applied(items);
  }

  /** Attributes of files of which this OSD has older ones. */
  @Benchmark
  @OperationsPerInvocation(ITEMS)
  public List<MutationOutcome> changeAttributes() {
    List<Mutation> items = new ArrayList<>(ITEMS);
    for (int item = 0; item < ITEMS; item++) {
      items.add(attributes((1L << 16) + random.nextInt(OBJECTS), Optional.empty()));
    }
    return applied(items);
  }

  /** Files made and removed again; the two items count as one. */
  @Benchmark
  @OperationsPerInvocation(ITEMS)
  public List<MutationOutcome> createAndRemove() {
    long first = nextObject;
    var unused = create();
    List<Mutation> items = new ArrayList<>(ITEMS);
    for (int item = 0; item < ITEMS; item++) {
      items.add(new ObjectRemoval(name(first + item), MANAGER, ++lsn, 0, false, false));
    }
    return applied(items);
  }

  /** A record behind the others of a component, complete before the next one. */
  @Benchmark
  public List<MutationOutcome> append() {
    if (appendedTo == 0 || appendedBytes >= RESTART_BYTES) {
      appendedTo = nextObject++;
      appendedBytes = 0;
      sequence = 0;
    }
    ObjectWrite write = record();
    appendedBytes += RECORD_BYTES;
    return applied(List.of(write));
  }

  private ObjectWrite record() {
    // As clients do: from the beginning of the block that the record begins in.
    int inBlock = (int) (appendedBytes % BLOCK_BYTES);
    byte[] data = new byte[inBlock + RECORD_BYTES];
    CRC32C crc = new CRC32C();
    crc.update(data);
    sequence++;
    return new ObjectWrite(
        name(appendedTo),
        Authority.ofClient(lsn, lsn),
        new ByteSpan(
            appendedBytes - inBlock,
            List.of(ByteBuffer.wrap(data)),
            new int[] {(int) crc.getValue()}),
        new WriteNumbers(sequence, 1, List.of(0, 1), sequence - 1),
        new FileLength(appendedBytes + RECORD_BYTES, 0),
        ObjectCreation.of(TAG),
        false);
  }

  private AttributeUpdate attributes(long object, Optional<ObjectTag> create) {
    byte[] value = new byte[ATTRIBUTE_BYTES];
    random.nextBytes(value);
    return new AttributeUpdate(
        name(object),
        MANAGER,
        List.of(new AttributeValue(0, ++lsn, value)),
        create,
        List.of(),
        0,
        0,
        false);
  }

  private static ObjectName name(long object) {
    return ObjectName.of(VOLUME.value(), object);
  }

  private List<MutationOutcome> applied(List<Mutation> items) {
    List<MutationOutcome> outcomes = store.applyAll(items).toCompletableFuture().join();
    for (MutationOutcome outcome : outcomes) {
      if (outcome.failure() != null) {
        throw new IllegalStateException(outcome.failure());
      }
    }
    return outcomes;
  }
}
