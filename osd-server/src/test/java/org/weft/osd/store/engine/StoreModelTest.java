package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.weft.osd.store.engine.Requests.object;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.rocksdb.RocksKeyValueStore;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.Stamp;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.testkit.sim.VirtualTime;

/** Random requests, on both kinds of storage, against a model that has none. */
class StoreModelTest {
  private static final int OBJECTS = 6;
  private static final byte[] HOLE = new byte[StoreModel.BLOCK];
  private static final Authority READER = Authority.ofManager(1 << 20);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theStoreInMemoryDoesWhatTheModelDoes(long seed) throws Exception {
    Rig rig = new Rig(seed, StoreOptions.ofCapacity(64 << 20));
    StoreModel model = new StoreModel();
    RandomGenerator random = new SplittableRandom(seed);
    RandomMutations mutations = new RandomMutations(random, OBJECTS);
    for (int step = 0; step < 1_000; step++) {
      step(rig.store, rig.time, model, mutations, random);
      if (random.nextInt(100) == 0) {
        rig.time.pass(rig.options.checkpointMillis() * 1_000_000);
      }
      if (random.nextInt(300) == 0) {
        if (random.nextBoolean()) {
          rig.stop();
          rig.assertSound();
          rig.open();
        } else {
          rig.restart();
        }
      }
      if (step % 50 == 0) {
        compare(rig.store, model, rig.time);
      }
    }
    compare(rig.store, model, rig.time);
    rig.stop();
    rig.assertSound();
  }

  @ParameterizedTest
  @ValueSource(longs = 11)
  void theStoreOnDiskDoesWhatTheModelDoes(long seed, @TempDir Path folder) throws Exception {
    VirtualTime time = new VirtualTime(seed);
    RandomGenerator random = new SplittableRandom(seed);
    StoreModel model = new StoreModel();
    RandomMutations mutations = new RandomMutations(random, OBJECTS);
    OsdfsStore store = open(folder, time);
    time.await(
        store
            .apply(new PartitionUpdate(Rig.PARTITION, List.of(new WorkingKey(1, new byte[32])), 1))
            .toCompletableFuture());
    for (int step = 0; step < 500; step++) {
      step(store, time, model, mutations, random);
      if (random.nextInt(250) == 0) {
        store.close();
        store = open(folder, time);
      }
      if (step % 100 == 0) {
        compare(store, model, time);
      }
    }
    compare(store, model, time);
    store.close();
    CheckReport report =
        StoreCheck.run(
            RocksKeyValueStore.openReadOnly(folder.resolve("tables")),
            new FileSegmentDirectory(folder.resolve("segments")),
            true,
            CheckListener.NONE);
    assertTrue(report.isSound(), () -> report.findings().toString());
  }

  private static OsdfsStore open(Path folder, VirtualTime time) throws IOException {
    return OsdfsStore.open(
        StoreOptions.ofCapacity(64 << 20),
        RocksKeyValueStore.open(folder.resolve("tables")),
        new FileSegmentDirectory(folder.resolve("segments")),
        time,
        new SplittableRandom(1),
        () -> "boot");
  }

  private static void step(
      OsdfsStore store,
      VirtualTime time,
      StoreModel model,
      RandomMutations mutations,
      RandomGenerator random) {
    if (random.nextInt(10) != 0) {
      Mutation mutation = mutations.next();
      ErrorCode expected = model.apply(mutation);
      byte[] delta = model.delta;
      MutationOutcome outcome = time.await(Rig.outcome(store, mutation).toCompletableFuture());
      ErrorCode actual = outcome.failure() == null ? null : outcome.failure().code();
      assertEquals(expected, actual, () -> mutation + ": " + String.valueOf(outcome.failure()));
      if (actual == null) {
        assertArrayEquals(
            delta, outcome.receipt().delta().map(PendingRequests::bytes).orElse(null));
      }
      return;
    }
    List<Mutation> batch = new ArrayList<>();
    List<ErrorCode> expected = new ArrayList<>();
    for (int i = random.nextInt(5); i >= 0; i--) {
      Mutation mutation = mutations.next();
      if (!batch.isEmpty() && !isDecidedInTheCommit(mutation, batch)) {
        // It reads bytes before the first of the batch is committed, and may be refused for that.
        continue;
      }
      batch.add(mutation);
      expected.add(model.apply(mutation));
    }
    List<ErrorCode> actual = new ArrayList<>();
    for (MutationOutcome outcome : time.await(store.applyAll(batch).toCompletableFuture())) {
      actual.add(outcome.failure() == null ? null : outcome.failure().code());
    }
    assertEquals(expected, actual);
  }

  private static boolean isDecidedInTheCommit(Mutation mutation, List<Mutation> before) {
    if (mutation instanceof ObjectWrite write) {
      return before.stream().noneMatch(other -> write.name().equals(changed(other)));
    } else if (mutation instanceof XorApplication xor) {
      return before.stream().noneMatch(other -> xor.write().name().equals(changed(other)));
    }
    return mutation instanceof AttributeUpdate
        || mutation instanceof ObjectRemoval
        || mutation instanceof VersionRaise
        || mutation instanceof WriteCompletion
        || mutation instanceof BlockRelease;
  }

  /** The object whose bytes change; null if none do. */
  private static ObjectName changed(Mutation mutation) {
    if (mutation instanceof ObjectWrite write) {
      return write.name();
    } else if (mutation instanceof XorApplication xor) {
      return xor.write().name();
    } else if (mutation instanceof XorExchange xor) {
      return xor.write().name();
    } else if (mutation instanceof WriteAbort abort) {
      return abort.name();
    } else if (mutation instanceof BlockWrite write) {
      return write.name();
    } else if (mutation instanceof ObjectRemoval removal) {
      return removal.name();
    } else if (mutation instanceof BlockRelease release) {
      return release.name();
    }
    return null;
  }

  private static void compare(OsdfsStore store, StoreModel model, VirtualTime time)
      throws WeftException {
    assertEquals(
        List.copyOf(model.items.keySet()),
        store.list(Rig.PARTITION, READER, new ObjectId(0), 1000).objects().stream()
            .map(ObjectId::value)
            .toList());
    for (long id : model.items.keySet()) {
      compare(store, id, model.items.get(id));
    }
    time.await(store.checkpointNow().toCompletableFuture());
    assertEquals(model.items.size(), store.status().objects());
    assertEquals(model.usedBlocks() * StoreModel.BLOCK, store.status().usedBytes());
    assertEquals(List.of(), store.status().problems());
  }

  private static void compare(OsdfsStore store, long id, ModelItem item) throws WeftException {
    ObjectAttributes attributes = store.attributes(object(id), READER);
    assertEquals(item.version, attributes.version());
    assertEquals(item.eof(), attributes.eofBytes());
    assertEquals(item.truncation(), attributes.truncationNumber());
    assertEquals(item.componentBytes, attributes.componentBytes());
    assertEquals(item.usedBlocks() * StoreModel.BLOCK, attributes.usedBytes());
    assertEquals(item.pending.writes(), store.listPending(object(id), READER).writes());
    assertEquals(
        List.copyOf(item.pages.keySet()),
        attributes.pages().stream().map(AttributeValue::page).toList());
    for (AttributeValue page : attributes.pages()) {
      assertEquals(item.pages.get(page.page()).lsn(), page.lsn());
      assertArrayEquals(item.pages.get(page.page()).value(), page.value());
    }
    long end = item.componentBytes;
    StoredRange result =
        store.read(new ObjectRead(object(id), READER, 0, (int) Math.max(1, end), true));
    compareBytes(result, item);
    result.payload().release();
    List<Stamp> stamps = new ArrayList<>();
    for (long number : item.blocks.keySet()) {
      ModelItem.Block block = item.blocks.get(number);
      stamps.add(new Stamp(number, 1, block.grant(), block.sequence()));
    }
    long blocks = (Math.max(1, end) + StoreModel.BLOCK - 1) / StoreModel.BLOCK;
    assertEquals(!item.pending.overlapping(0, blocks).isEmpty(), result.pending());
    List<Stamp> single = new ArrayList<>();
    for (Stamp stamp : result.stamps()) {
      for (int i = 0; i < stamp.blockCount(); i++) {
        single.add(new Stamp(stamp.firstBlock() + i, 1, stamp.grant(), stamp.sequence()));
      }
    }
    assertEquals(stamps, single);
  }

  /** Block by block, since an object is large and most of it holes. */
  private static void compareBytes(StoredRange result, ModelItem item) {
    SortedSet<Long> unread = new TreeSet<>(item.blocks.keySet());
    Requests.storedBlocks(
        result,
        (number, stored, place) -> {
          unread.remove(number);
          ModelItem.Block block = item.blocks.get(number);
          byte[] expected = block == null ? HOLE : block.bytes();
          int length = lengthOf(number, item);
          if (!Arrays.equals(stored, place, place + length, expected, 0, length)) {
            fail("block " + number + " is not as the model has it: " + block);
          }
        });
    for (long hole : unread) {
      int length = lengthOf(hole, item);
      if (!Arrays.equals(HOLE, 0, length, item.blocks.get(hole).bytes(), 0, length)) {
        fail("block " + hole + " is a hole");
      }
    }
  }

  /** How much of a block belongs to the component; what is stored behind its end is not read. */
  private static int lengthOf(long number, ModelItem item) {
    return (int)
        Math.max(0, Math.min(StoreModel.BLOCK, item.componentBytes - number * StoreModel.BLOCK));
  }
}
