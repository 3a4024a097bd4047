package org.weft.osd.store.engine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;

/** Requests as tests make them. */
final class Requests {
  static final int BLOCK = 4096;
  static final ObjectTag TAG = new ObjectTag(1, 0, 4, 1, 64 << 10, 1, 2000);
  static final Authority MANAGER = Authority.ofManager(1);

  private Requests() {}

  static ObjectName object(long id) {
    return ObjectName.of(Rig.PARTITION.value(), id);
  }

  static long lsn(long index) {
    return Lsn.of(1, index).value();
  }

  /** A WRITE under construction; made by grant 100 with sequence 1 unless said otherwise. */
  static final class Write {
    private final ObjectName name;
    private final long offset;
    private final byte[] data;
    private long grant = lsn(100);
    private long floor;
    private long sequence = 1;
    private int count = 1;
    private long eof;
    private int truncation;
    private long completeUpTo;
    private Authority authority;
    private ObjectTag create = TAG;
    private AttributeValue attributes;
    private boolean durable;
    private int pieces = 1;
    private int damagedBlock = -1;

    Write(long object, long offset, byte[] data) {
      this.name = object(object);
      this.offset = offset;
      this.data = data;
      this.eof = offset + data.length;
    }

    Write by(long grantIndex, long firstSequence) {
      grant = lsn(grantIndex);
      sequence = firstSequence;
      return this;
    }

    Write sequences(int n) {
      count = n;
      return this;
    }

    Write as(Authority manager) {
      authority = manager;
      return this;
    }

    Write floor(long grantIndex) {
      floor = lsn(grantIndex);
      return this;
    }

    Write eof(long bytes, int truncationNumber) {
      eof = bytes;
      truncation = truncationNumber;
      return this;
    }

    Write complete(long upTo) {
      completeUpTo = upTo;
      return this;
    }

    Write noCreate() {
      create = null;
      return this;
    }

    Write attributes(AttributeValue page) {
      attributes = page;
      return this;
    }

    Write durable() {
      durable = true;
      return this;
    }

    /** The data comes in so many buffers. */
    Write inPieces(int n) {
      pieces = n;
      return this;
    }

    Write damaged(int block) {
      damagedBlock = block;
      return this;
    }

    ObjectWrite build() {
      int[] crcs = crcs(offset, data);
      if (damagedBlock >= 0) {
        crcs[damagedBlock] ^= 1;
      }
      return new ObjectWrite(
          name,
          authority == null ? Authority.ofClient(grant, floor) : authority,
          new ByteSpan(offset, buffers(data, pieces), crcs),
          new WriteNumbers(sequence, count, List.of(0, 1), completeUpTo),
          new FileLength(eof, truncation),
          new ObjectCreation(Optional.ofNullable(create), Optional.ofNullable(attributes)),
          durable);
    }
  }

  static Write write(long object, long offset, byte[] data) {
    return new Write(object, offset, data);
  }

  static BlockWrite blocks(long object, long lsnIndex, byte[] data, long... numbers) {
    long[] lsns = new long[numbers.length];
    Arrays.fill(lsns, lsn(lsnIndex));
    return new BlockWrite(
        object(object),
        MANAGER,
        numbers,
        lsns,
        crcs(0, data),
        buffers(data, 1),
        Optional.of(TAG),
        0,
        false);
  }

  static AttributeUpdate attributes(long object, AttributeValue... pages) {
    return attributes(object(object), pages);
  }

  static AttributeUpdate attributes(ObjectName name, AttributeValue... pages) {
    return new AttributeUpdate(
        name, MANAGER, List.of(pages), Optional.of(TAG), List.of(), 0, 0, false);
  }

  static ObjectRemoval removal(long object, long lsnIndex) {
    return new ObjectRemoval(object(object), MANAGER, lsn(lsnIndex), 0, false, false);
  }

  /** A truncation that begins, by grant 100 or so; the file ends where the component does. */
  static ObjectTruncation truncation(
      long object, long length, int number, long grantIndex, long sequence) {
    return new ObjectTruncation(
        object(object),
        Authority.ofClient(lsn(grantIndex), 0),
        length,
        length,
        number,
        sequence,
        sequence - 1,
        0,
        false);
  }

  static ObjectPunch punch(long object, long offset, long length, long grantIndex, long sequence) {
    return new ObjectPunch(
        object(object),
        Authority.ofClient(lsn(grantIndex), 0),
        offset,
        length,
        sequence,
        sequence - 1,
        0);
  }

  static ObjectRead readOf(long object, long offset, int length) {
    return new ObjectRead(object(object), MANAGER, offset, length, true);
  }

  /** The bytes of a range; what is not stored is zeros. Checks every block against its CRC. */
  static byte[] read(ObjectStore store, long object, long offset, int length) throws WeftException {
    StoredRange result = store.read(readOf(object, offset, length));
    try {
      return bytes(result, offset, length);
    } finally {
      result.payload().release();
    }
  }

  static byte[] bytes(StoredRange result, long offset, int length) {
    long first = offset / BLOCK;
    long end = (offset + length + BLOCK - 1) / BLOCK;
    byte[] blocks = new byte[(int) (end - first) * BLOCK];
    storedBlocks(
        result,
        (number, stored, place) ->
            System.arraycopy(stored, place, blocks, (int) (number - first) * BLOCK, BLOCK));
    int skip = (int) (offset - first * BLOCK);
    return skip == 0 && length == blocks.length
        ? blocks
        : Arrays.copyOfRange(blocks, skip, skip + length);
  }

  /** Sees a block that is stored: its bytes are those of the array from that place on. */
  interface BlockVisitor {
    void visit(long number, byte[] stored, int place);
  }

  /** Every block that was read and is not a hole, in order. Checks it against its CRC. */
  static void storedBlocks(StoredRange result, BlockVisitor visitor) {
    byte[] stored = new byte[result.payload().lengthBytes()];
    ByteBuffer target = ByteBuffer.wrap(stored);
    result.payload().buffers().forEach(target::put);
    CRC32C crc = new CRC32C();
    int block = 0;
    for (BlockRun run : result.runs()) {
      for (int i = 0; i < run.blockCount(); i++, block++) {
        crc.reset();
        crc.update(stored, block * BLOCK, BLOCK);
        if ((int) crc.getValue() != result.blockCrcs()[block]) {
          throw new AssertionError("block " + (run.firstBlock() + i) + " is damaged");
        }
        visitor.visit(run.firstBlock() + i, stored, block * BLOCK);
      }
    }
  }

  static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    fill(bytes, new SplittableRandom(seed));
    return bytes;
  }

  /** What {@link RandomGenerator#nextBytes} does, eight bytes at a time. */
  static void fill(byte[] bytes, RandomGenerator random) {
    ByteBuffer left = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (left.remaining() >= Long.BYTES) {
      left.putLong(random.nextLong());
    }
    for (long last = left.hasRemaining() ? random.nextLong() : 0;
        left.hasRemaining();
        last >>>= 8) {
      left.put((byte) last);
    }
  }

  /** CRC32C of the bytes sent of each block. */
  static int[] crcs(long offset, byte[] data) {
    int skip = (int) (offset % BLOCK);
    int[] crcs = new int[data.length == 0 ? 0 : (skip + data.length + BLOCK - 1) / BLOCK];
    CRC32C crc = new CRC32C();
    int done = 0;
    for (int block = 0; done < data.length; block++) {
      int count = Math.min(data.length - done, BLOCK - (skip + done) % BLOCK);
      crc.reset();
      crc.update(data, done, count);
      crcs[block] = (int) crc.getValue();
      done += count;
    }
    return crcs;
  }

  private static List<ByteBuffer> buffers(byte[] data, int pieces) {
    List<ByteBuffer> buffers = new ArrayList<>();
    int size = Math.max(1, (data.length + pieces - 1) / pieces);
    for (int done = 0; done < data.length; done += size) {
      buffers.add(ByteBuffer.wrap(data, done, Math.min(size, data.length - done)));
    }
    return buffers;
  }
}
