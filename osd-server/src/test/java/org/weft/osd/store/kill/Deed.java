package org.weft.osd.store.kill;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorApplication;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * What a thread of the child does at its n-th step: a function of seed, thread and step alone, so
 * that the parent knows it without being told. Each thread has objects of its own.
 *
 * @param offset where a write begins, a truncation cuts, or 50 blocks are punched
 * @param numbers blocks of a manager's write, else null
 */
record Deed(
    Kind kind,
    int thread,
    int step,
    long object,
    long offset,
    byte[] data,
    long[] numbers,
    boolean durable) {
  static final int BLOCK = 4096;
  static final int THREADS = 8;
  static final PartitionId PARTITION = new PartitionId(3);
  static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, 65536, 1, 2000);

  private static final int OBJECTS = 8;
  private static final long MAX_OFFSET = 512 << 10;

  enum Kind {
    WRITE,
    BLOCKS,
    ATTRIBUTES,
    TRUNCATION,
    PUNCH,
    REMOVAL,
    /** A δ on whole blocks; nothing where there is no object. */
    XOR,
    /** A write that is aborted at once; nothing where there is no object. */
    UNDONE_WRITE,
    /** A δ that is aborted at once. */
    UNDONE_XOR
  }

  static Deed of(long seed, int thread, int step) {
    SplittableRandom random = new SplittableRandom((seed * 31 + thread) * 1_000_003 + step);
    long object = thread * 100L + 1 + random.nextInt(OBJECTS);
    int choice = random.nextInt(100);
    boolean durable = random.nextInt(25) == 0;
    if (choice < 10) {
      long offset = random.nextLong(MAX_OFFSET / BLOCK) * BLOCK;
      Kind kind = choice < 5 ? Kind.TRUNCATION : Kind.PUNCH;
      return new Deed(kind, thread, step, object, offset, new byte[0], null, durable);
    } else if (choice >= 50 && choice < 70) {
      Kind kind = choice < 60 ? Kind.XOR : choice < 65 ? Kind.UNDONE_XOR : Kind.UNDONE_WRITE;
      long offset = random.nextLong(MAX_OFFSET / BLOCK) * BLOCK;
      byte[] data = bytes(random, (1 + random.nextInt(6)) * BLOCK);
      return new Deed(kind, thread, step, object, offset, data, null, durable);
    } else if (choice < 50) {
      int length = 1 + random.nextInt(choice < 20 ? 100_000 : 6_000);
      long offset = random.nextLong(MAX_OFFSET);
      if (random.nextBoolean()) {
        offset = offset / BLOCK * BLOCK;
      }
      // Zeros can be punched.
      byte[] data = choice < 25 ? new byte[length] : bytes(random, length);
      return new Deed(Kind.WRITE, thread, step, object, offset, data, null, durable);
    } else if (choice < 85) {
      TreeSet<Long> numbers = new TreeSet<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        numbers.add(random.nextLong(MAX_OFFSET / BLOCK));
      }
      long[] blocks = numbers.stream().mapToLong(Long::longValue).toArray();
      byte[] data = bytes(random, blocks.length * BLOCK);
      return new Deed(Kind.BLOCKS, thread, step, object, 0, data, blocks, durable);
    } else if (choice < 97) {
      byte[] value = bytes(random, random.nextInt(300));
      return new Deed(Kind.ATTRIBUTES, thread, step, object, 0, value, null, durable);
    }
    return new Deed(Kind.REMOVAL, thread, step, object, 0, new byte[0], null, durable);
  }

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  ObjectName name() {
    return ObjectName.of(PARTITION.value(), object);
  }

  /** To be sent before: a manager does not write over a pending write of a live grant. */
  Optional<Mutation> completion() {
    return kind == Kind.BLOCKS
        ? Optional.of(new WriteCompletion(name(), writer(), step - 1, 0, 0, false))
        : Optional.empty();
  }

  /** To be sent afterwards. */
  Optional<Mutation> undoing() {
    return kind == Kind.UNDONE_WRITE || kind == Kind.UNDONE_XOR
        ? Optional.of(new WriteAbort(name(), writer(), step, 1, durable))
        : Optional.empty();
  }

  Mutation mutation() {
    Authority manager = Authority.ofManager(1);
    long lsn = Lsn.of(1, 100_000 + step).value();
    return switch (kind) {
      case XOR, UNDONE_XOR ->
          new XorApplication(
              new XorWrite(
                  name(),
                  writer(),
                  new ByteSpan(offset, List.of(ByteBuffer.wrap(data)), crcs(offset)),
                  new WriteNumbers(step, 1, List.of(0, 1), step - 1),
                  new FileLength(0, 0),
                  durable));
      case WRITE, UNDONE_WRITE ->
          new ObjectWrite(
              name(),
              writer(),
              new ByteSpan(offset, List.of(ByteBuffer.wrap(data)), crcs(offset)),
              new WriteNumbers(step, 1, List.of(0, 1), step - 1),
              new FileLength(offset + data.length, 0),
              new ObjectCreation(
                  kind == Kind.WRITE ? Optional.of(TAG) : Optional.empty(), Optional.empty()),
              durable);
      case BLOCKS -> {
        long[] lsns = new long[numbers.length];
        Arrays.fill(lsns, lsn);
        yield new BlockWrite(
            name(),
            manager,
            numbers,
            lsns,
            crcs(0),
            List.of(ByteBuffer.wrap(data)),
            Optional.of(TAG),
            0,
            durable);
      }
      case ATTRIBUTES ->
          new AttributeUpdate(
              name(),
              manager,
              List.of(new AttributeValue(0, lsn, data)),
              Optional.of(TAG),
              List.of(),
              0,
              0,
              durable);
      case TRUNCATION ->
          new ObjectTruncation(name(), writer(), offset, offset, 0, step, step - 1, 0, durable);
      case PUNCH -> new ObjectPunch(name(), writer(), offset, 50L * BLOCK, step, step - 1, 0);
      // So old that the next write may make the object anew.
      case REMOVAL -> new ObjectRemoval(name(), manager, 1, 0, false, durable);
    };
  }

  /** Below every manager's block: those stay whatever is cut. */
  private Authority writer() {
    return Authority.ofClient(Lsn.of(1, 100 + thread).value(), 0);
  }

  private int[] crcs(long start) {
    int blocks = (int) ((start + data.length + BLOCK - 1) / BLOCK - start / BLOCK);
    int[] crcs = new int[blocks];
    int done = 0;
    for (int i = 0; i < blocks; i++) {
      int count = (int) Math.min(data.length - done, BLOCK - (start + done) % BLOCK);
      CRC32C crc = new CRC32C();
      crc.update(data, done, count);
      crcs[i] = (int) crc.getValue();
      done += count;
    }
    return crcs;
  }
}
