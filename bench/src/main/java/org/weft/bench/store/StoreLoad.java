package org.weft.bench.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.PartitionUpdate;
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

/**
 * What is done to the store: made as clients of a file system make it, with ids and completions.
 */
final class StoreLoad {
  static final int BLOCK_BYTES = 4096;
  static final int UNIT_BYTES = 64 << 10;

  private static final PartitionId PARTITION = new PartitionId(1);
  private static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, UNIT_BYTES, 1, 2000);
  private static final int ATTRIBUTE_BYTES = 160;
  private static final int AT_ONCE = 64;

  private final ObjectStore store;

  StoreLoad(ObjectStore store) {
    this.store = store;
  }

  void begin() {
    PartitionUpdate partition =
        new PartitionUpdate(PARTITION, List.of(new WorkingKey(1, new byte[32])), 1);
    var unused = store.apply(partition).toCompletableFuture().join();
  }

  /** Small files, with attributes: 4 KiB each. */
  void create(long first, long count) {
    byte[] data = new byte[BLOCK_BYTES];
    List<CompletableFuture<?>> underWay = new ArrayList<>();
    for (long id = first; id < first + count; id++) {
      AttributeValue attributes =
          new AttributeValue(0, Lsn.of(1, id).value(), new byte[ATTRIBUTE_BYTES]);
      underWay.add(
          store.apply(write(id, 1, 0, data, 1, 0, Optional.of(attributes))).toCompletableFuture());
      if (underWay.size() == AT_ONCE) {
        joinAll(underWay);
      }
    }
    joinAll(underWay);
  }

  /** Streams of one object each, by as many threads, in runs; the objects' ids begin with first. */
  void streams(long first, int threads, long bytesEach, int runBytes) throws InterruptedException {
    List<Thread> writers = new ArrayList<>();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < threads; i++) {
      long id = first + i;
      Thread writer = new Thread(() -> stream(id, bytesEach, runBytes), "stream-" + i);
      writer.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
      writers.add(writer);
      writer.start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a stream could not be written", failures.peek());
    }
  }

  private void stream(long id, long bytes, int runBytes) {
    byte[] data = new byte[runBytes];
    new SplittableRandom(id).nextBytes(data);
    int units = Math.max(1, runBytes / UNIT_BYTES);
    for (long done = 0; done < bytes; done += runBytes) {
      long sequence = 1 + done / runBytes * units;
      var unused =
          store
              .apply(write(id, units, done, data, sequence, sequence - 1, Optional.empty()))
              .toCompletableFuture()
              .join();
    }
  }

  /** One block of some object is overwritten, again and again, each time another one. */
  void smallWrites(long objects, long count, long round) {
    byte[] data = new byte[BLOCK_BYTES];
    SplittableRandom random = new SplittableRandom(round);
    for (long i = 0; i < count; i++) {
      long id = 1 + random.nextLong(objects);
      long grant = 1_000_000_000L + round * count + i;
      Mutation write = mutation(id, Lsn.of(1, grant).value(), 1, 0, data, 1, 0, Optional.empty());
      var unused = store.apply(write).toCompletableFuture().join();
    }
  }

  private static Mutation write(
      long id,
      int sequences,
      long offset,
      byte[] data,
      long first,
      long completeUpTo,
      Optional<AttributeValue> attributes) {
    return mutation(
        id, Lsn.of(1, id).value(), sequences, offset, data, first, completeUpTo, attributes);
  }

  private static Mutation mutation(
      long id,
      long grant,
      int sequences,
      long offset,
      byte[] data,
      long first,
      long completeUpTo,
      Optional<AttributeValue> attributes) {
    return new ObjectWrite(
        ObjectName.of(PARTITION.value(), (1L << 16) + id),
        Authority.ofClient(grant, grant),
        new ByteSpan(offset, List.of(ByteBuffer.wrap(data)), crcs(data)),
        new WriteNumbers(first, sequences, List.of(0, 1), completeUpTo),
        new FileLength(offset + data.length, 0),
        new ObjectCreation(Optional.of(TAG), attributes),
        false);
  }

  private static int[] crcs(byte[] data) {
    CRC32C crc = new CRC32C();
    int[] crcs = new int[data.length / BLOCK_BYTES];
    for (int i = 0; i < crcs.length; i++) {
      crc.reset();
      crc.update(data, i * BLOCK_BYTES, BLOCK_BYTES);
      crcs[i] = (int) crc.getValue();
    }
    return crcs;
  }

  private static void joinAll(List<CompletableFuture<?>> underWay) {
    for (CompletableFuture<?> one : Collections.unmodifiableList(underWay)) {
      var unused = one.join();
    }
    underWay.clear();
  }
}
