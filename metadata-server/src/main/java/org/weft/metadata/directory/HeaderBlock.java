package org.weft.metadata.directory;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Block 0 of a directory. Behind what {@link DirectoryBlock} draws:
 *
 * <pre>
 *   16 entries in the directory u64
 *   24 key of the hash (16 bytes)
 *   40 next block u32: the smallest number that was not used since the directory was last empty
 *   44 number of free blocks listed below u16 | depth of the root index u16, 0..9
 *   48 root index: 512 slots u32, see {@link IndexNode}
 * 2096 free blocks: 500 numbers u32; more than these are not used again before the directory is empty
 * </pre>
 *
 * A mutable copy, to be sealed by the code that made it.
 */
final class HeaderBlock {
  static final int SLOTS = 48;

  private static final int ENTRIES = 16;
  private static final int KEY = 24;
  private static final int NEXT_BLOCK = 40;
  private static final int FREE_COUNT = 44;
  private static final int DEPTH = 46;
  private static final int FREE = SLOTS + IndexNode.MAX_SLOTS * Integer.BYTES;
  private static final int MAX_FREE = (DirectoryBlock.BYTES - FREE) / Integer.BYTES;

  private final ByteBuffer bytes;

  private HeaderBlock(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  static HeaderBlock blank(HashKey key) {
    ByteBuffer bytes = DirectoryBlock.blank(DirectoryBlock.Kind.HEADER);
    bytes.putLong(KEY, key.k0()).putLong(KEY + 8, key.k1()).putInt(NEXT_BLOCK, 1);
    return new HeaderBlock(bytes);
  }

  static HeaderBlock copyOf(byte[] block) {
    return new HeaderBlock(ByteBuffer.wrap(block.clone()));
  }

  static Optional<String> problemOf(byte[] block) {
    ByteBuffer in = ByteBuffer.wrap(block);
    if (in.getLong(ENTRIES) < 0 || in.getInt(NEXT_BLOCK) < 1) {
      return Optional.of("its counters cannot be");
    }
    if (in.getShort(FREE_COUNT) < 0 || in.getShort(FREE_COUNT) > MAX_FREE) {
      return Optional.of("its list of free blocks is too long");
    }
    return in.getShort(DEPTH) < 0 || in.getShort(DEPTH) > IndexNode.MAX_DEPTH
        ? Optional.of("its index is too deep")
        : Optional.empty();
  }

  static HashKey keyOf(byte[] block) {
    ByteBuffer in = ByteBuffer.wrap(block);
    return new HashKey(in.getLong(KEY), in.getLong(KEY + 8));
  }

  static long entriesOf(byte[] block) {
    return ByteBuffer.wrap(block).getLong(ENTRIES);
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** The root of the index, on the same bytes. */
  IndexNode root() {
    return IndexNode.inHeader(bytes);
  }

  static int depthOffset() {
    return DEPTH;
  }

  void addEntry() {
    bytes.putLong(ENTRIES, bytes.getLong(ENTRIES) + 1);
  }

  /** Counts an entry less; true if it was the last, and every block but this one is free again. */
  boolean removeEntry() {
    long entries = bytes.getLong(ENTRIES) - 1;
    bytes.putLong(ENTRIES, entries);
    if (entries == 0) {
      bytes.put(0, blank(keyOf(bytes.array())).bytes.array());
    }
    return entries == 0;
  }

  int allocate() {
    int free = bytes.getShort(FREE_COUNT);
    if (free > 0) {
      bytes.putShort(FREE_COUNT, (short) (free - 1));
      int number = bytes.getInt(FREE + (free - 1) * Integer.BYTES);
      bytes.putInt(FREE + (free - 1) * Integer.BYTES, 0);
      return number;
    }
    int number = bytes.getInt(NEXT_BLOCK);
    bytes.putInt(NEXT_BLOCK, Math.incrementExact(number));
    return number;
  }

  void free(int number) {
    int free = bytes.getShort(FREE_COUNT);
    if (free < MAX_FREE) {
      bytes.putInt(FREE + free * Integer.BYTES, number);
      bytes.putShort(FREE_COUNT, (short) (free + 1));
    }
  }

  /** One more than the largest block number in use: the length of the object in blocks. */
  static int endBlockOf(byte[] block) {
    return ByteBuffer.wrap(block).getInt(NEXT_BLOCK);
  }
}
