package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * The keys, each a letter and unsigned big-endian numbers, so that a scan meets them in the order
 * of the numbers.
 *
 * <pre>
 * H                                         store header          {@link HeaderCodec}
 * C                                         durable checkpoint    {@link NumberCodec}
 * S segment u32                             segment file          {@link SegmentCodec}
 * F segment u32                             free map, while clean {@link FreeMapCodec}
 * P partition u64                           partition             {@link PartitionCodec}
 * O partition u64 | object u64              object                {@link ObjectRecordCodec}
 * A handle u64 | page u32                   attribute page        {@link AttributeCodec}
 * E handle u64 | page u64                   extents of 128 blocks {@link ExtentPageCodec}
 * U commit u64 | handle u64 | page u64      extents replaced      {@link ExtentPageCodec}
 * B commit u64 | segment u32 | block u32    bytes of blocks that a small durable write filled
 * D handle u64                              removed, extents still to be freed: empty
 * T partition u64 | object u64              tombstone's LSN       {@link NumberCodec}
 * L partition u64 | lsn u64 | object u64    tombstones by LSN: empty
 * R segment u32 | block u32                 reserved: references to a shared block
 * W handle u64                              pending list, if any  {@link PendingCodec}
 * G handle u64                              blocks given back     {@link RevertedBlocksCodec}
 * M                                         the scrubber's notes  {@link ScrubNotesCodec}
 * N                                         last starts           {@link KnownStarts}
 * </pre>
 *
 * The handle is a number of the store's own, given once to each object that is made. So what a
 * removed object leaves behind is never taken for that of a later object with its name.
 */
public final class StoreKeys {
  public static final byte OBJECT = 'O';
  public static final byte ATTRIBUTE = 'A';
  public static final byte EXTENTS = 'E';
  public static final byte REPLACED = 'U';
  public static final byte BLOCK_COPY = 'B';
  public static final byte PENDING = 'W';
  public static final byte GIVEN_BACK = 'G';
  public static final byte DOOMED = 'D';
  public static final byte TOMBSTONE = 'T';
  public static final byte TOMBSTONE_BY_LSN = 'L';
  public static final byte PARTITION = 'P';
  public static final byte SEGMENT = 'S';
  public static final byte FREE_MAP = 'F';

  private StoreKeys() {}

  public static byte[] header() {
    return new byte[] {'H'};
  }

  public static byte[] checkpoint() {
    return new byte[] {'C'};
  }

  public static byte[] scrubNotes() {
    return new byte[] {'M'};
  }

  public static byte[] starts() {
    return new byte[] {'N'};
  }

  public static byte[] segment(int segment) {
    return key(SEGMENT, Integer.BYTES).putInt(segment).array();
  }

  public static byte[] freeMap(int segment) {
    return key(FREE_MAP, Integer.BYTES).putInt(segment).array();
  }

  public static byte[] partition(PartitionId partition) {
    return key(PARTITION, Long.BYTES).putLong(partition.value()).array();
  }

  public static byte[] object(ObjectName name) {
    return named(OBJECT, name);
  }

  public static byte[] attribute(long handle, int page) {
    return key(ATTRIBUTE, Long.BYTES + Integer.BYTES).putLong(handle).putInt(page).array();
  }

  public static byte[] extents(long handle, long page) {
    return key(EXTENTS, 2 * Long.BYTES).putLong(handle).putLong(page).array();
  }

  public static byte[] replaced(long commit, long handle, long page) {
    return key(REPLACED, 3 * Long.BYTES).putLong(commit).putLong(handle).putLong(page).array();
  }

  public static byte[] blockCopy(long commit, int segment, int firstBlock) {
    return key(BLOCK_COPY, Long.BYTES + 2 * Integer.BYTES)
        .putLong(commit)
        .putInt(segment)
        .putInt(firstBlock)
        .array();
  }

  public static byte[] pending(long handle) {
    return key(PENDING, Long.BYTES).putLong(handle).array();
  }

  public static byte[] givenBack(long handle) {
    return key(GIVEN_BACK, Long.BYTES).putLong(handle).array();
  }

  public static byte[] doomed(long handle) {
    return key(DOOMED, Long.BYTES).putLong(handle).array();
  }

  public static byte[] tombstone(ObjectName name) {
    return named(TOMBSTONE, name);
  }

  public static byte[] tombstoneByLsn(PartitionId partition, long lsn, long object) {
    return key(TOMBSTONE_BY_LSN, 3 * Long.BYTES)
        .putLong(partition.value())
        .putLong(lsn)
        .putLong(object)
        .array();
  }

  /** All keys of a kind lie in [prefix(kind), {@link #after after(prefix(kind))}). */
  public static byte[] prefix(byte kind) {
    return new byte[] {kind};
  }

  /** All keys of a kind whose first number is this one start so. */
  public static byte[] prefix(byte kind, long first) {
    return key(kind, Long.BYTES).putLong(first).array();
  }

  /** The smallest key that is larger than every key with this prefix. */
  public static byte[] after(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == (byte) 0xff) {
      length--;
    }
    if (length == 0) {
      throw new IllegalArgumentException("no key is larger than all keys with this prefix");
    }
    byte[] after = Arrays.copyOf(prefix, length);
    after[length - 1]++;
    return after;
  }

  /** The number behind the letter and {@code index} other numbers of 8 bytes. */
  public static long numberAt(byte[] key, int index) {
    return ByteBuffer.wrap(key).getLong(1 + index * Long.BYTES);
  }

  /** The segment of a {@link #SEGMENT} or {@link #FREE_MAP} key. */
  public static int segmentOf(byte[] key) {
    return ByteBuffer.wrap(key).getInt(1);
  }

  /** The segment of a {@link #BLOCK_COPY} key. */
  public static int copySegmentOf(byte[] key) {
    return ByteBuffer.wrap(key).getInt(1 + Long.BYTES);
  }

  /** The first block of a {@link #BLOCK_COPY} key. */
  public static int copyBlockOf(byte[] key) {
    return ByteBuffer.wrap(key).getInt(1 + Long.BYTES + Integer.BYTES);
  }

  /** The page of an {@link #ATTRIBUTE} key. */
  public static int attributePageOf(byte[] key) {
    return ByteBuffer.wrap(key).getInt(1 + Long.BYTES);
  }

  /** The name in an {@link #OBJECT} or {@link #TOMBSTONE} key. */
  public static ObjectName nameOf(byte[] key) {
    return ObjectName.of(numberAt(key, 0), numberAt(key, 1));
  }

  private static byte[] named(byte kind, ObjectName name) {
    return key(kind, 2 * Long.BYTES)
        .putLong(name.partition().value())
        .putLong(name.object().value())
        .array();
  }

  private static ByteBuffer key(byte kind, int numberBytes) {
    return ByteBuffer.allocate(1 + numberBytes).put(kind);
  }
}
