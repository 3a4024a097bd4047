package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** Many threads, one store. */
class ConcurrencyTest {
  private static final int RECORD_BYTES = 1_000;
  private static final PartitionUpdate PARTITION =
      new PartitionUpdate(Rig.PARTITION, List.of(new WorkingKey(1, new byte[32])), 1);

  /** Runs tasks in threads of their own and gives the first failure to the test. */
  private static void inThreads(List<ThrowingTask> tasks) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (ThrowingTask task : tasks) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  task.run();
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get(), () -> String.valueOf(failure.get()));
  }

  /** A task. */
  private interface ThrowingTask {
    void run() throws Exception;
  }

  /**
   * Readers hold what they read while writers overwrite it and its blocks are wanted elsewhere: the
   * bytes always match their checksums, and no read is torn between two commits.
   */
  @Test
  void readersNeverSeeBlocksThatAreUsedAgain(@TempDir Path folder) throws Exception {
    // Room for few versions: blocks are used again at once.
    StoreOptions options = StoreOptions.ofCapacity(6 << 20).withCheckpointMillis(5);
    try (SystemEnvironment system = SystemEnvironment.create()) {
      try (ObjectStore store = new StoreFolder(folder).open(options, system.environment())) {
        store.apply(PARTITION).toCompletableFuture().join();
        int length = 160 * BLOCK;
        AtomicInteger writing = new AtomicInteger(2);
        List<ThrowingTask> tasks = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
          long id = i;
          store.apply(stamped(id, 1, length)).toCompletableFuture().join();
          tasks.add(
              () -> {
                try {
                  for (int step = 2; step < 150; step++) {
                    persist(store, id, step, length);
                  }
                } finally {
                  writing.decrementAndGet();
                }
              });
          tasks.add(() -> readWhile(store, id, length, writing));
          tasks.add(() -> readWhile(store, id, length, writing));
        }
        tasks.add(() -> scrubWhile(store, writing));
        inThreads(tasks);
        for (int id = 1; id <= 2; id++) {
          store.apply(complete(id, client(100), 149)).toCompletableFuture().join();
        }
        store.checkpointNow().toCompletableFuture().join();
        assertEquals(2L * length, store.status().usedBytes());
      }
    }
    CheckReport report = StoreCheck.run(folder, true, CheckListener.NONE);
    assertTrue(report.isSound(), () -> report.findings().toString());
  }

  private static void scrubWhile(ObjectStore store, AtomicInteger writing) throws WeftException {
    while (writing.get() > 0) {
      MediumPlace place = MediumPlace.START;
      while (place != null) {
        MediumLook seen = store.medium().look(place, 10 * BLOCK);
        assertEquals(List.of(), seen.bad());
        place = seen.next().orElse(null);
      }
    }
  }

  /** Threads that must not wait append, beside others that commit what those leave. */
  @Test
  void appendsThatAreCommittedAtOnceAllCount(@TempDir Path folder) throws Exception {
    int writers = 4;
    int records = 150;
    AtomicInteger atOnce = new AtomicInteger();
    try (SystemEnvironment system = SystemEnvironment.create()) {
      StoreOptions options = StoreOptions.ofCapacity(64 << 20).withCheckpointMillis(5);
      try (ObjectStore store = new StoreFolder(folder).open(options, system.environment())) {
        store.apply(PARTITION).toCompletableFuture().join();
        AtomicInteger writing = new AtomicInteger(writers);
        List<ThrowingTask> tasks = new ArrayList<>();
        for (int i = 1; i <= writers; i++) {
          long id = i;
          tasks.add(
              () -> {
                try {
                  appendOften(store, id, records, atOnce);
                } finally {
                  writing.decrementAndGet();
                }
              });
        }
        tasks.add(
            () -> {
              for (int version = 1; writing.get() > 0; version++) {
                store.apply(stamped(writers + 1, version, BLOCK)).toCompletableFuture().join();
              }
            });
        inThreads(tasks);
        for (int id = 1; id <= writers; id++) {
          byte[] expected = random(id, records * RECORD_BYTES);
          assertArrayEquals(expected, read(store, id, 0, expected.length));
        }
      }
    }
    assertTrue(atOnce.get() > writers * records / 2, () -> "at once: " + atOnce);
    CheckReport report = StoreCheck.run(folder, true, CheckListener.NONE);
    assertTrue(report.isSound(), () -> report.findings().toString());
  }

  private static void appendOften(ObjectStore store, long id, int records, AtomicInteger atOnce) {
    byte[] bytes = random(id, records * RECORD_BYTES);
    for (int i = 0; i < records; i++) {
      byte[] record = Arrays.copyOfRange(bytes, i * RECORD_BYTES, (i + 1) * RECORD_BYTES);
      Mutation append =
          write(id, (long) i * RECORD_BYTES, record).by(100, i + 1).complete(i).build();
      Optional<CompletionStage<Receipt>> begun = store.applyNow(append);
      begun.ifPresent(stage -> atOnce.incrementAndGet());
      begun.orElseGet(() -> store.apply(append)).toCompletableFuture().join();
    }
  }

  /** XORs onto one block by many at once, with completions between: each counts once. */
  @Test
  void xorsOfManyWritersAllCount(@TempDir Path folder) throws Exception {
    byte[] expected = random(1, BLOCK);
    int writers = 4;
    int each = 40;
    try (SystemEnvironment system = SystemEnvironment.create()) {
      StoreOptions options = StoreOptions.ofCapacity(64 << 20).withCheckpointMillis(5);
      try (ObjectStore store = new StoreFolder(folder).open(options, system.environment())) {
        store.apply(PARTITION).toCompletableFuture().join();
        store.apply(write(1, 0, expected).by(99, 1).build()).toCompletableFuture().join();
        store.apply(complete(1, client(99), 1)).toCompletableFuture().join();
        List<ThrowingTask> tasks = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
          long grant = 100 + i;
          tasks.add(() -> xorOften(store, grant, each));
          for (int step = 1; step <= each; step++) {
            expected = PendingRequests.xored(expected, random(grant * 1000 + step, BLOCK));
          }
        }
        inThreads(tasks);
        assertArrayEquals(expected, read(store, 1, 0, BLOCK));
      }
    }
    CheckReport report = StoreCheck.run(folder, true, CheckListener.NONE);
    assertTrue(report.isSound(), () -> report.findings().toString());
  }

  private static void xorOften(ObjectStore store, long grant, int count) throws WeftException {
    for (int step = 1; step <= count; ) {
      byte[] delta = random(grant * 1000 + step, BLOCK);
      Mutation xor = PendingRequests.xor(1, 0, delta, client(grant), step, step - 1);
      try {
        store.apply(xor).toCompletableFuture().join();
        step++;
      } catch (CompletionException e) {
        WeftException why = WeftException.of(e);
        if (why.code() != ErrorCode.BUSY) {
          throw why;
        }
      }
    }
  }

  /** Every block of a version starts with its number. */
  private static org.weft.osd.store.mutation.Mutation stamped(long id, int version, int length) {
    byte[] data = random(version, length);
    for (int at = 0; at < length; at += BLOCK) {
      data[at] = (byte) version;
    }
    return write(id, 0, data).by(100, version).complete(version - 1).build();
  }

  /** Readers may hold all the blocks that are left: then again. */
  private static void persist(ObjectStore store, long id, int version, int length)
      throws WeftException {
    while (true) {
      try {
        store.apply(stamped(id, version, length)).toCompletableFuture().join();
        return;
      } catch (CompletionException e) {
        WeftException why = WeftException.of(e);
        if (why.code() != ErrorCode.NO_SPACE) {
          throw why;
        }
      }
    }
  }

  private static void readWhile(ObjectStore store, long id, int length, AtomicInteger writing)
      throws WeftException {
    while (writing.get() > 0) {
      StoredRange result = store.read(readOf(id, 0, length));
      byte[] bytes;
      try {
        bytes = Requests.bytes(result, 0, length);
      } finally {
        result.payload().release();
      }
      for (int at = 0; at < length; at += BLOCK) {
        assertEquals(bytes[0], bytes[at], "a read is torn");
      }
      assertEquals(1, result.stamps().size());
    }
  }

  @Test
  void writersOfOneBlockLoseNothing(@TempDir Path folder) throws Exception {
    int threads = 6;
    int rounds = 60;
    try (SystemEnvironment system = SystemEnvironment.create();
        ObjectStore store =
            new StoreFolder(folder).open(StoreOptions.ofCapacity(64 << 20), system.environment())) {
      store.apply(PARTITION).toCompletableFuture().join();
      store.apply(Requests.blocks(1, 10, new byte[BLOCK], 0)).toCompletableFuture().join();
      List<ThrowingTask> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        tasks.add(
            () -> {
              // Each has 100 bytes of the block and a grant whose writes count as complete.
              for (int round = 1; round <= rounds; round++) {
                writePart(store, thread, round);
              }
            });
      }
      inThreads(tasks);
      byte[] block = read(store, 1, 0, BLOCK);
      for (int thread = 0; thread < threads; thread++) {
        byte[] part = Arrays.copyOfRange(block, thread * 100, thread * 100 + 100);
        assertArrayEquals(random(thread * 1000L + rounds, 100), part);
      }
    }
  }

  private static void writePart(ObjectStore store, int thread, int round) throws WeftException {
    byte[] data = random(thread * 1000L + round, 100);
    while (true) {
      try {
        store
            .apply(
                write(1, thread * 100L, data).by(200 + thread, round).complete(round - 1).build())
            .toCompletableFuture()
            .join();
        store
            .apply(
                write(1, 0, new byte[0]).by(200 + thread, 0).sequences(0).complete(round).build())
            .toCompletableFuture()
            .join();
        return;
      } catch (CompletionException e) {
        WeftException why = WeftException.of(e);
        if (why.code() != ErrorCode.BUSY) {
          throw why;
        }
      }
    }
  }

  @Test
  void durableWritesShareTheirSyncs() throws Exception {
    Rig rig = Rig.small();
    rig.apply(write(1000, 0, random(1, BLOCK)).durable().build());
    AtomicInteger syncs = new AtomicInteger();
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() == StorageFaults.Kind.KEY_SYNC) {
            syncs.incrementAndGet();
          }
          return false;
        },
        "");
    List<CompletionStage<Receipt>> stages = new ArrayList<>();
    for (int i = 1; i <= 50; i++) {
      stages.add(rig.store.apply(write(i, 0, random(i, BLOCK)).durable().build()));
    }
    for (CompletionStage<Receipt> stage : stages) {
      rig.await(stage);
    }
    assertTrue(syncs.get() <= 2, syncs + " syncs");
  }

  /** While one commit is in the key-value store, all others gather for the next. */
  @Test
  void commitsThatMeetShareABatch() throws Exception {
    StorageFaults faults = new StorageFaults();
    GatedStore gated = new GatedStore(new MemoryKeyValueStore(faults));
    VirtualTime time = new VirtualTime(1);
    OsdfsStore store =
        OsdfsStore.open(
            StoreOptions.ofCapacity(8 << 20),
            gated,
            new MemorySegmentDirectory(faults),
            time,
            new SplittableRandom(1),
            () -> "boot");
    time.await(store.apply(PARTITION).toCompletableFuture());
    gated.close = new CountDownLatch(1);
    CompletableFuture<Receipt> first = new CompletableFuture<>();
    Thread committing =
        new Thread(
            () ->
                store
                    .apply(Requests.attributes(1, new AttributeValue(0, 1, new byte[1])))
                    .thenAccept(first::complete));
    committing.start();
    gated.reached.await();
    int before = gated.writes.get();
    List<CompletableFuture<Receipt>> stages = new ArrayList<>();
    for (int i = 2; i <= 40; i++) {
      stages.add(
          store
              .apply(Requests.attributes(i, new AttributeValue(0, 1, new byte[1])))
              .toCompletableFuture());
    }
    assertTrue(stages.stream().noneMatch(CompletableFuture::isDone));
    gated.close.countDown();
    committing.join();
    first.join();
    stages.forEach(CompletableFuture::join);
    assertEquals(before + 1, gated.writes.get());
    assertEquals(40, store.status().objects());
  }

  /** Holds up writes while its gate is closed. */
  private static final class GatedStore extends TablesBetween {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final AtomicInteger writes = new AtomicInteger();
    private volatile CountDownLatch close = new CountDownLatch(0);

    GatedStore(KeyValueStore store) {
      super(store);
    }

    @Override
    public void write(Batch batch, boolean sync) throws IOException {
      writes.incrementAndGet();
      if (close.getCount() > 0) {
        reached.countDown();
        try {
          close.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      super.write(batch, sync);
    }
  }
}
