package org.weft.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
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
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.system.SystemEnvironment;

/**
 * New objects of one OSD, in batches of 64. With {@code asked=false} it is known from their numbers
 * that they are new. With {@code asked=true} one object of a far higher number is there, so that
 * RocksDB and its Bloom filters have to say so of each.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class KeptNewObjectsBenchmark {
  private static final int ITEMS = 64;
  private static final int OBJECTS = 100_000;
  private static final int ATTRIBUTE_BYTES = 200;
  private static final long FIRST = 1L << 16;
  private static final long FAR = 1L << 40;
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final Authority MANAGER = Authority.ofManager(1);
  private static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, 64 << 10, 1, 2000);

  @Param({"false", "true"})
  public boolean asked;

  private final byte[] value = new byte[ATTRIBUTE_BYTES];
  private SystemEnvironment system;
  private Path folder;
  private ObjectStore store;
  private long nextObject = FIRST;
  private long lsn = Lsn.of(1, 1).value();

  /** A store with many objects. */
  @Setup
  public void open() throws IOException {
    system = SystemEnvironment.create();
    folder = Files.createTempDirectory("weft-kept-objects");
    store = new StoreFolder(folder).open(StoreOptions.ofCapacity(8L << 30), system.environment());
    var unused =
        store
            .apply(new PartitionUpdate(VOLUME, List.of(new WorkingKey(1, new byte[32])), 1))
            .toCompletableFuture()
            .join();
    if (asked) {
      var unusedFar = applied(List.of(creation(FAR)));
    }
    for (int made = 0; made < OBJECTS; made += ITEMS) {
      create();
    }
  }

  @TearDown
  public void close() throws IOException {
    store.close();
    system.close();
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder()).forEach(KeptNewObjectsBenchmark::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Benchmark
  @OperationsPerInvocation(ITEMS)
  public List<MutationOutcome> create() {
    List<Mutation> items = new ArrayList<>(ITEMS);
    for (int item = 0; item < ITEMS; item++) {
      items.add(creation(nextObject++));
    }
    return applied(items);
  }

  /** Made and removed again; the two count as one. */
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

  private AttributeUpdate creation(long object) {
    return new AttributeUpdate(
        name(object),
        MANAGER,
        List.of(new AttributeValue(0, ++lsn, value)),
        Optional.of(TAG),
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
