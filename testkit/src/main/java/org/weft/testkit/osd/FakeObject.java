package org.weft.testkit.osd;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.Stamp;
import org.weft.protocol.wire.WriteRequest;

/**
 * One object: sparse blocks with checksums and write ids, attribute pages, and what is known of its
 * file.
 */
final class FakeObject {
  static final int BLOCK_BYTES = Layout.BLOCK_BYTES;

  private static final int CRC_OF_ZEROS = Checksums.of(new byte[BLOCK_BYTES], 0, BLOCK_BYTES);

  /** A stored block. The bytes may rot; the checksum and the id do not. */
  record Block(byte[] bytes, int crc, long grant, long seq) {
    boolean isSound() {
      return Checksums.of(bytes, 0, BLOCK_BYTES) == crc;
    }
  }

  private final ComponentTag tag;
  private final TreeMap<Long, Block> blocks = new TreeMap<>();
  private final TreeMap<Integer, AttributePage> pages = new TreeMap<>();
  private final TreeMap<Long, Long> completeUpToByGrant = new TreeMap<>();
  private long version;
  private long eof;
  private int truncationNumber;
  private long componentBytes;
  private boolean durable = true;

  FakeObject(ComponentTag tag) {
    this.tag = tag;
  }

  ComponentTag tag() {
    return tag;
  }

  long version() {
    return version;
  }

  long eof() {
    return eof;
  }

  int truncationNumber() {
    return truncationNumber;
  }

  long componentBytes() {
    return componentBytes;
  }

  SortedMap<Integer, AttributePage> pages() {
    return pages;
  }

  SortedMap<Long, Block> blocks() {
    return blocks;
  }

  long completeUpTo(long grant) {
    return completeUpToByGrant.getOrDefault(grant, 0L);
  }

  void raiseVersion(long atLeast) {
    version = Long.compareUnsigned(atLeast, version) > 0 ? atLeast : version;
  }

  void raiseEof(long atLeast) {
    eof = Math.max(eof, atLeast);
  }

  /** A file length of that truncation number: a larger one replaces, a smaller one is nothing. */
  void establish(int truncation, long length) {
    if (truncation > truncationNumber) {
      truncationNumber = truncation;
      eof = length;
    } else if (truncation == truncationNumber) {
      raiseEof(length);
    }
  }

  void complete(long grant, long upTo) {
    if (upTo > 0) {
      completeUpToByGrant.merge(grant, upTo, Math::max);
    }
  }

  /** Stores a page if it is newer than the one stored; false if it is not. */
  boolean store(AttributePage page) {
    AttributePage stored = pages.get(page.getPage());
    if (stored != null && Long.compareUnsigned(stored.getLsn(), page.getLsn()) >= 0) {
      return false;
    }
    pages.put(page.getPage(), page);
    return true;
  }

  /**
   * True if the write's id is complete, or all its blocks carry it: then it is answered only (P
   * 5.4).
   */
  boolean alreadyHolds(WriteRequest request, int lengthBytes) {
    long last = request.getFirstSeq() + request.getSeqCount() - 1;
    if (lengthBytes == 0 || last <= completeUpTo(request.getGrant())) {
      return lengthBytes > 0;
    }
    long first = request.getOffset() / BLOCK_BYTES;
    long end = (request.getOffset() + lengthBytes - 1) / BLOCK_BYTES;
    for (long number = first; number <= end; number++) {
      Block block = blocks.get(number);
      if (block == null
          || block.grant() != request.getGrant()
          || block.seq() < request.getFirstSeq()
          || block.seq() > last) {
        return false;
      }
    }
    return true;
  }

  /** True if a block of the write belongs to another one that is not known to be complete. */
  boolean isBusy(WriteRequest request, int lengthBytes) {
    long first = request.getOffset() / BLOCK_BYTES;
    long end = (request.getOffset() + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    long last = request.getFirstSeq() + request.getSeqCount() - 1;
    return lengthBytes > 0
        && blocks.subMap(first, end).values().stream()
            .anyMatch(
                block ->
                    isPending(block)
                        && !(block.grant() == request.getGrant()
                            && block.seq() >= request.getFirstSeq()
                            && block.seq() <= last));
  }

  /** Applies a write whose checksums have been verified. */
  void write(WriteRequest request, byte[] payload) throws RpcException {
    long perSeq = Math.max(1, payload.length / Math.max(1, request.getSeqCount()));
    TreeMap<Long, Block> changed = new TreeMap<>();
    int done = 0;
    while (done < payload.length) {
      long at = request.getOffset() + done;
      int inBlock = (int) (at % BLOCK_BYTES);
      int count = Math.min(BLOCK_BYTES - inBlock, payload.length - done);
      byte[] merged = mergeable(at / BLOCK_BYTES, count);
      System.arraycopy(payload, done, merged, inBlock, count);
      long seq =
          Math.min(
              request.getFirstSeq() + done / perSeq,
              request.getFirstSeq() + request.getSeqCount() - 1L);
      int crc = Checksums.of(merged, 0, BLOCK_BYTES);
      changed.put(at / BLOCK_BYTES, new Block(merged, crc, request.getGrant(), seq));
      done += count;
    }
    blocks.putAll(changed);
    componentBytes = Math.max(componentBytes, request.getOffset() + payload.length);
  }

  private byte[] mergeable(long number, int newBytes) throws RpcException {
    Block old = blocks.get(number);
    if (old == null || newBytes == BLOCK_BYTES) {
      return new byte[BLOCK_BYTES];
    }
    if (!old.isSound()) {
      throw new RpcException(ErrorCode.BAD_MEDIA, "block " + number + " does not match its CRC");
    }
    return old.bytes().clone();
  }

  void putBlock(long number, Block block) {
    blocks.put(number, block);
    componentBytes = Math.max(componentBytes, (number + 1) * BLOCK_BYTES);
  }

  /** Cuts off what lies behind the length with an id up to this one. */
  void truncate(long lengthBytes, long grant, long seq) {
    long from = lengthBytes / BLOCK_BYTES;
    blocks.tailMap(from).values().removeIf(block -> isUpTo(block, grant, seq));
    if (blocks.tailMap(from).isEmpty()) {
      componentBytes = Math.min(componentBytes, lengthBytes);
    }
  }

  /** Lets go of blocks of zeros with an id up to this one. */
  void punch(long offsetBytes, long lengthBytes, long grant, long seq) {
    long from = offsetBytes / BLOCK_BYTES;
    blocks
        .subMap(from, from + lengthBytes / BLOCK_BYTES)
        .values()
        .removeIf(block -> isUpTo(block, grant, seq) && block.crc() == CRC_OF_ZEROS);
  }

  private static boolean isUpTo(Block block, long grant, long seq) {
    int order = Long.compareUnsigned(block.grant(), grant);
    return order < 0 || (order == 0 && block.seq() <= seq);
  }

  void flipBit(long offsetBytes) {
    Block block = blocks.get(offsetBytes / BLOCK_BYTES);
    if (block == null) {
      throw new IllegalArgumentException("nothing is stored at byte " + offsetBytes);
    }
    block.bytes()[(int) (offsetBytes % BLOCK_BYTES)] ^= 0x10;
  }

  boolean isPending(long firstBlock, long endBlock) {
    return blocks.subMap(firstBlock, endBlock).values().stream().anyMatch(this::isPending);
  }

  /** Of a grant that counts still, and not known to be complete (P 5.4). */
  private boolean isPending(Block block) {
    return new Lsn(block.grant()).index() != 0
        && Long.compareUnsigned(block.grant(), version) >= 0
        && block.seq() > completeUpTo(block.grant());
  }

  /** True if everything acknowledged is on stable storage. */
  boolean isDurable() {
    return durable;
  }

  void durable(boolean is) {
    durable = is;
  }

  /** Write ids of the stored blocks of a range, alike neighbours in one stamp. */
  List<Stamp> stamps(long firstBlock, long endBlock) {
    List<Stamp> stamps = new ArrayList<>();
    for (var entry : blocks.subMap(firstBlock, endBlock).entrySet()) {
      Block block = entry.getValue();
      Stamp last = stamps.isEmpty() ? null : stamps.get(stamps.size() - 1);
      if (last != null
          && last.getFirstBlock() + last.getBlockCount() == entry.getKey()
          && last.getGrant() == block.grant()
          && last.getSeq() == block.seq()) {
        stamps.set(
            stamps.size() - 1, last.toBuilder().setBlockCount(last.getBlockCount() + 1).build());
      } else {
        stamps.add(
            Stamp.newBuilder()
                .setFirstBlock(entry.getKey())
                .setBlockCount(1)
                .setGrant(block.grant())
                .setSeq(block.seq())
                .build());
      }
    }
    return stamps;
  }
}
