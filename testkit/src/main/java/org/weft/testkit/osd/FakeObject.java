package org.weft.testkit.osd;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.Stamp;

/**
 * One object: sparse blocks with checksums and write ids, attribute pages, the pending list, and
 * what is known of its file. A change that is refused may leave it half changed: changes are tried
 * on a copy.
 */
final class FakeObject {
  static final int BLOCK_BYTES = Layout.BLOCK_BYTES;

  private static final int CRC_OF_ZEROS = Checksums.of(new byte[BLOCK_BYTES], 0, BLOCK_BYTES);

  /** A stored block. The bytes may rot; the checksum and the id do not. */
  record Block(byte[] bytes, int crc, long grant, long seq) {
    static Block of(byte[] bytes, long grant, long seq) {
      return new Block(bytes, Checksums.of(bytes, 0, BLOCK_BYTES), grant, seq);
    }

    /** The same bytes, which match their checksum no more. */
    Block unsound() {
      return new Block(bytes, ~crc, grant, seq);
    }

    boolean isSound() {
      return Checksums.of(bytes, 0, BLOCK_BYTES) == crc;
    }
  }

  private final ComponentTag tag;
  private final TreeMap<Long, Block> blocks;
  private final TreeMap<Integer, AttributePage> pages;
  private final FakePendingList pending;
  private final TreeSet<Long> givenBack = new TreeSet<>();
  private long version;
  private boolean durable = true;
  private long state;

  FakeObject(ComponentTag tag) {
    this.tag = tag;
    blocks = new TreeMap<>();
    pages = new TreeMap<>();
    pending = new FakePendingList();
  }

  FakeObject(FakeObject other) {
    tag = other.tag;
    blocks = new TreeMap<>(other.blocks);
    pages = new TreeMap<>(other.pages);
    pending = new FakePendingList(other.pending);
    givenBack.addAll(other.givenBack);
    version = other.version;
    durable = other.durable;
    state = other.state;
  }

  ComponentTag tag() {
    return tag;
  }

  long version() {
    return version;
  }

  long eof() {
    return pending.lengths().eof();
  }

  int truncationNumber() {
    return pending.lengths().truncationNumber();
  }

  long componentBytes() {
    return pending.lengths().componentBytes();
  }

  SortedMap<Integer, AttributePage> pages() {
    return pages;
  }

  SortedMap<Long, Block> blocks() {
    return blocks;
  }

  FakePendingList pending() {
    return pending;
  }

  /** Another number after each change. */
  long state() {
    return state;
  }

  void state(long number) {
    state = number;
  }

  void raiseVersion(long atLeast) {
    version = Long.compareUnsigned(atLeast, version) > 0 ? atLeast : version;
  }

  /** A writer's floor: smaller grants are fenced, and the manager has resolved them (P 5.4). */
  void resolvedBelow(long floor) {
    raiseVersion(floor);
    pending.purge(floor);
  }

  /** A file length of that truncation number that no undo takes back. */
  void establish(int truncation, long length) {
    pending.settle(pending.settled().established(truncation, length));
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
   * The record of a write that was executed and is pending.
   *
   * @throws WeftException WRITE_ABORTED, or INVALID_ARGUMENT if only a part of it is pending
   */
  Optional<FakePending> executed(FakeWrite write) throws WeftException {
    if (write.seqCount() == 0) {
      return Optional.empty();
    }
    List<FakePending> records = pending.numbered(write.grant(), write.firstSeq(), write.lastSeq());
    if (records.stream().anyMatch(FakePending::isAborted)) {
      throw new WeftException(
          ErrorCode.WRITE_ABORTED, "seq " + write.firstSeq() + " has been undone");
    }
    for (long seq = write.firstSeq(); seq <= write.lastSeq() && !records.isEmpty(); seq++) {
      long wanted = seq;
      if (records.stream().noneMatch(r -> r.contains(wanted, wanted))) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "seqs %d to %d came before as another run"
                .formatted(write.firstSeq(), write.lastSeq()));
      }
    }
    return records.stream().findFirst();
  }

  /** True if all blocks carry the ids of a write that leaves no record: it is answered only. */
  boolean carries(FakeWrite write) {
    for (long number = write.firstBlock(); number < write.endBlock(); number++) {
      Block block = blocks.get(number);
      if (block == null || block.grant() != write.grant() || block.seq() != seqAt(write, number)) {
        return false;
      }
    }
    return write.bytes().length > 0;
  }

  /**
   * Executes a write that is not known here, whose checksums have been verified.
   *
   * @return the record that it leaves, if any
   */
  Optional<FakePending> write(FakeWrite write) throws WeftException {
    requireUnits(write);
    pending.complete(write.grant(), write.completeUpTo());
    boolean recorded = write.isRecorded(version);
    resolvedBelow(write.floor());
    pending.clear(
        write.kind(), write.manager() && !recorded, version, write.firstBlock(), write.endBlock());
    TreeMap<Long, Block> changed = merged(write);
    FakePending record = FakePending.of(write, kept(write, changed));
    blocks.putAll(changed);
    if (recorded && !pending.isComplete(write.grant(), write.lastSeq())) {
      pending.requireRoom(write.grant(), record.retainedBytes());
      pending.add(record);
      return Optional.of(record);
    }
    FakeLengths lengths = pending.settled();
    pending.settle(
        write.bytes().length > 0
            ? lengths.with(record)
            : lengths.established(write.truncationNumber(), write.eof()));
    return Optional.empty();
  }

  private void requireUnits(FakeWrite write) throws WeftException {
    if (write.seqCount() > 1 && write.bytes().length > 0) {
      long unit = tag.getUnitBytes() / BLOCK_BYTES;
      long units = unit == 0 ? 0 : (write.endBlock() - 1) / unit - write.firstBlock() / unit + 1;
      if (units != write.seqCount()) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            write.seqCount() + " seqs for " + units + " units of the component");
      }
    }
  }

  private long seqAt(FakeWrite write, long number) {
    long unit = tag.getUnitBytes() / BLOCK_BYTES;
    return write.seqCount() <= 1 || unit == 0
        ? write.firstSeq()
        : write.firstSeq() + number / unit - write.firstBlock() / unit;
  }

  /** The blocks as they are to be. */
  private TreeMap<Long, Block> merged(FakeWrite write) throws WeftException {
    byte[] payload = write.bytes();
    TreeMap<Long, Block> changed = new TreeMap<>();
    int done = 0;
    while (done < payload.length) {
      long at = write.offset() + done;
      long number = at / BLOCK_BYTES;
      int inBlock = (int) (at % BLOCK_BYTES);
      int count = Math.min(BLOCK_BYTES - inBlock, payload.length - done);
      boolean replaces = write.kind() == PendingKind.STRIPE && count == BLOCK_BYTES;
      byte[] bytes = replaces ? new byte[BLOCK_BYTES] : soundBytes(number);
      for (int i = 0; i < count; i++) {
        byte old = write.kind() == PendingKind.XOR_DELTA ? bytes[inBlock + i] : 0;
        bytes[inBlock + i] = (byte) (old ^ payload[done + i]);
      }
      changed.put(number, Block.of(bytes, write.grant(), seqAt(write, number)));
      done += count;
    }
    return changed;
  }

  private TreeMap<Long, FakePending.Kept> kept(FakeWrite write, SortedMap<Long, Block> changed)
      throws WeftException {
    TreeMap<Long, FakePending.Kept> kept = new TreeMap<>();
    for (var entry : changed.entrySet()) {
      byte[] delta = null;
      if (write.kind() != PendingKind.STRIPE) {
        delta = xor(soundBytes(entry.getKey()), entry.getValue().bytes());
      }
      kept.put(entry.getKey(), new FakePending.Kept(blocks.get(entry.getKey()), delta));
    }
    return kept;
  }

  /** A copy of the block's bytes to compute on, zeros where nothing is stored. */
  private byte[] soundBytes(long number) throws WeftException {
    Block old = blocks.get(number);
    if (old == null) {
      return new byte[BLOCK_BYTES];
    }
    if (!old.isSound()) {
      throw new WeftException(ErrorCode.BAD_MEDIA, "block " + number + " does not match its CRC");
    }
    return old.bytes().clone();
  }

  private static byte[] xor(byte[] a, byte[] b) {
    byte[] sum = a.clone();
    for (int i = 0; i < sum.length; i++) {
      sum[i] ^= b[i];
    }
    return sum;
  }

  /**
   * Undoes a run, and keeps it from being executed later (P 5.4).
   *
   * @return true if it was here
   */
  boolean abort(long grant, long firstSeq, int seqCount) throws WeftException {
    long last = firstSeq + seqCount - 1;
    if (new Lsn(grant).index() == 0 || pending.isComplete(grant, firstSeq)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "seq " + firstSeq + " is complete and cannot be undone");
    }
    List<FakePending> records = pending.numbered(grant, firstSeq, last);
    for (FakePending record : records) {
      boolean alone = record.kind() == PendingKind.XOR_DELTA && seqCount != 1;
      if (record.firstSeq() < firstSeq || record.lastSeq() > last || alone) {
        throw new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "a write is undone as a whole: seqs " + record.firstSeq() + " to " + record.lastSeq());
      }
    }
    if (records.size() == 1
        && records.get(0).isAborted()
        && records.get(0).seqCount() == seqCount) {
      return false;
    }
    List<Integer> participants = List.of();
    boolean undone = false;
    if (records.isEmpty()) {
      pending.requireRoom(grant, 0);
    }
    for (FakePending record : records) {
      if (!record.isAborted()) {
        undone = true;
        participants = record.participants();
        undo(record);
      }
      pending.remove(record);
    }
    pending.add(FakePending.aborted(grant, firstSeq, seqCount, participants));
    return undone;
  }

  private void undo(FakePending record) throws WeftException {
    for (var entry : record.kept().entrySet()) {
      long number = entry.getKey();
      FakePending.Kept kept = entry.getValue();
      if (record.kind() == PendingKind.XOR_DELTA) {
        byte[] bytes = xor(soundBytes(number), kept.delta());
        put(number, Block.of(bytes, record.grant(), record.firstSeq()));
      } else {
        put(number, kept.old());
      }
    }
  }

  private void put(long number, Block block) {
    if (block == null) {
      blocks.remove(number);
    } else {
      blocks.put(number, block);
    }
  }

  void putBlock(long number, Block block) {
    blocks.put(number, block);
    pending.settle(pending.settled().reaching((number + 1) * BLOCK_BYTES));
  }

  /** Cuts off what lies behind the length with an id up to this one. */
  void truncate(long lengthBytes, long grant, long seq) {
    long from = lengthBytes / BLOCK_BYTES;
    pending.cut(from, grant, seq);
    blocks.tailMap(from).values().removeIf(block -> isUpTo(block, grant, seq));
    if (blocks.tailMap(from).isEmpty()) {
      pending.settle(pending.settled().endingAt(lengthBytes));
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

  /** A power loss took the newest bytes of a block, and left these. */
  void giveBack(long number, byte[] older) {
    Block now = blocks.get(number);
    put(number, Block.of(older, now.grant(), now.seq()));
    givenBack.add(number);
  }

  /** Blocks that were given back and not forgotten since. */
  SortedSet<Long> givenBack() {
    return givenBack;
  }

  /** What the blocks must hold is not known any more: they match no checksum. */
  void lose(long firstBlock, long endBlock) {
    blocks.subMap(firstBlock, endBlock).replaceAll((number, block) -> block.unsound());
  }

  void flipBit(long offsetBytes) {
    Block block = blocks.get(offsetBytes / BLOCK_BYTES);
    if (block == null) {
      throw new IllegalArgumentException("nothing is stored at byte " + offsetBytes);
    }
    block.bytes()[(int) (offsetBytes % BLOCK_BYTES)] ^= 0x10;
  }

  boolean isPending(long firstBlock, long endBlock) {
    return pending.isPending(firstBlock, endBlock);
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
