package org.weft.metadata.directory;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A node of the index: 2^depth slots, chosen by that many of the highest bits of a place that the
 * nodes above have not used. A bucket fills an aligned run of 1, 2, 4, ... slots. A node that
 * cannot split a bucket doubles; one of depth 9 puts a node of its own in the bucket's slot. So a
 * change reaches few blocks, however large the directory is. Behind what {@link DirectoryBlock}
 * draws:
 *
 * <pre>
 * 16 depth u16, 1..9 | zeros
 * 48 512 slots u32: 0 nothing there; the number of a bucket; with the top bit set, of an index node
 * </pre>
 *
 * <p>The root lies in block 0 and has its depth, 0..9, at another offset.
 */
final class IndexNode {
  static final int MAX_DEPTH = 9;
  static final int MAX_SLOTS = 1 << MAX_DEPTH;

  private static final int DEPTH = DirectoryBlock.CONTENT;
  private static final int SLOTS = HeaderBlock.SLOTS;
  private static final int NODE_BIT = 1 << 31;

  private final ByteBuffer bytes;
  private final int depthOffset;

  private IndexNode(ByteBuffer bytes, int depthOffset) {
    this.bytes = bytes;
    this.depthOffset = depthOffset;
  }

  /** A node whose two slots lead to the same bucket. */
  static IndexNode over(int pointer) {
    ByteBuffer bytes = DirectoryBlock.blank(DirectoryBlock.Kind.INDEX);
    IndexNode node = new IndexNode(bytes, DEPTH);
    bytes.putShort(DEPTH, (short) 1);
    node.fill(0, 2, pointer);
    return node;
  }

  static IndexNode copyOf(byte[] block) {
    return new IndexNode(ByteBuffer.wrap(block.clone()), DEPTH);
  }

  /** To look at: must not be changed. */
  static IndexNode of(byte[] block) {
    boolean header = DirectoryBlock.isKind(block, DirectoryBlock.Kind.HEADER);
    return new IndexNode(ByteBuffer.wrap(block), header ? HeaderBlock.depthOffset() : DEPTH);
  }

  static IndexNode inHeader(ByteBuffer header) {
    return new IndexNode(header, HeaderBlock.depthOffset());
  }

  static Optional<String> problemOf(byte[] block) {
    int depth = ByteBuffer.wrap(block).getShort(DEPTH);
    return depth < 1 || depth > MAX_DEPTH
        ? Optional.of("it is a node of depth " + depth)
        : Optional.empty();
  }

  static boolean isNode(int pointer) {
    return (pointer & NODE_BIT) != 0;
  }

  static int blockOf(int pointer) {
    return pointer & ~NODE_BIT;
  }

  static int pointerToNode(int block) {
    return block | NODE_BIT;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  int depth() {
    return bytes.getShort(depthOffset);
  }

  int slotCount() {
    return 1 << depth();
  }

  int pointer(int slot) {
    return bytes.getInt(SLOTS + slot * Integer.BYTES);
  }

  /** The slot of a place, of which the nodes above have used so many bits. */
  int slotOf(long place, int usedBits) {
    // A place has 63 bits. Two shifts, because a shift by 64 would not clear anything.
    return depth() == 0 ? 0 : (int) (place << 1 << usedBits >>> Long.SIZE - depth());
  }

  /** Length of the aligned run around the slot whose slots all have its pointer. */
  int runLength(int slot) {
    int length = 1;
    while (length < slotCount() && isUniform(slot & -(2 * length), 2 * length, pointer(slot))) {
      length *= 2;
    }
    return length;
  }

  private boolean isUniform(int from, int length, int pointer) {
    for (int slot = from; slot < from + length; slot++) {
      if (pointer(slot) != pointer) {
        return false;
      }
    }
    return true;
  }

  void fill(int from, int length, int pointer) {
    for (int slot = from; slot < from + length; slot++) {
      bytes.putInt(SLOTS + slot * Integer.BYTES, pointer);
    }
  }

  /** Twice as many slots; each run twice as long. */
  void doubleSlots() {
    for (int slot = slotCount() - 1; slot >= 0; slot--) {
      fill(2 * slot, 2, pointer(slot));
    }
    bytes.putShort(depthOffset, (short) (depth() + 1));
  }

  boolean isEmpty() {
    return isUniform(0, slotCount(), 0);
  }
}
