package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.engine.block.BlockImage;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.block.Deltas;
import org.weft.osd.store.engine.commit.StaleException;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.CommittedValues;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.Demand;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;

/**
 * An XOR_WRITE (P 5.2 to 5.4). The new blocks, the δ in blocks of its own and the record that makes
 * it happen once are one commit. The commit is made only if every old block still lies where it was
 * read: of two XORs onto one block that are prepared side by side, the second is prepared again.
 */
final class XorApplicationChange extends DataChange {
  private final XorWrite xor;
  private final long firstBlock;
  private final long endBlock;
  // Null: nothing was written, because it had been before.
  private int[] crcs;
  private List<BlockImage.Merged> read = List.of();
  private List<BlockRange> ranges = List.of();
  private List<BlockRange> deltaRanges = List.of();
  private boolean restsOnOthers;

  /** Where the δs of an object go: not between its own blocks. */
  private record DeltaStream(ObjectName name) {}

  private XorApplicationChange(StoreState store, XorWrite xor, boolean durable, int lengthBytes) {
    super(store, durable);
    this.xor = xor;
    this.firstBlock = xor.bytes().offsetBytes() / BLOCK_BYTES;
    this.endBlock = firstBlock + lengthBytes / BLOCK_BYTES;
  }

  /**
   * Checks the δ and the old bytes, and writes the new ones and the δ to free blocks.
   *
   * @param follows changes that are not committed yet decide on it, too: not now, but in the commit
   * @param durable no caller is told of it before it is on stable storage
   */
  static XorApplicationChange prepare(
      StoreState store, XorWrite xor, boolean follows, boolean durable)
      throws IOException, ShortOfSpaceException {
    BufferRun sent = new BufferRun(xor.bytes().data());
    WriteArguments.requireRange(xor.bytes().offsetBytes(), sent, xor.length().eofBytes());
    WriteArguments.requireOne(xor);
    if (xor.bytes().offsetBytes() % BLOCK_BYTES != 0 || sent.lengthBytes() % BLOCK_BYTES != 0) {
      throw PendingRules.invalid(
          "a δ is whole blocks of "
              + BLOCK_BYTES
              + " bytes, got "
              + sent.lengthBytes()
              + " at "
              + xor.bytes().offsetBytes());
    }
    WriteArguments.requireChecksums(
        xor.name(), xor.bytes().offsetBytes(), sent, xor.bytes().blockCrcs());
    XorApplicationChange change = new XorApplicationChange(store, xor, durable, sent.lengthBytes());
    return prepared(change, () -> change.prepare(sent, follows));
  }

  private void prepare(BufferRun delta, boolean follows) throws IOException, ShortOfSpaceException {
    pinEverything();
    Values lookUp = new CommittedValues(store);
    ObjectName name = xor.name();
    ObjectRecord record = lookUp.object(name);
    if (!follows && isKnownNow(lookUp, record)) {
      pinOnly(List.of());
      return;
    }
    List<ExtentPage> pages =
        record == null ? List.of() : lookUp.pages(record.handle(), firstBlock, endBlock);
    BufferRun image = apply(delta, pages);
    int blocks = (int) (endBlock - firstBlock);
    ranges = writeOut(name, xor.authority(), firstBlock, image, blocks);
    long leaveFree = xor.authority().manager() ? 0 : store.reserveBlocks() / MANAGERS_SHARE;
    Demand demand = new Demand(new DeltaStream(name), firstBlock, blocks, leaveFree);
    deltaRanges = writeOut(name, demand, delta);
  }

  /** Decided again in the commit; here it spares the IO. */
  private boolean isKnownNow(Values lookUp, ObjectRecord record) throws IOException {
    ObjectName name = xor.name();
    admit(store.partitions().get(name.partition()), record);
    PendingRecords pending = lookUp.pending(record);
    if (isKnown(record, pending)) {
      return true;
    }
    PendingRules.requireTruncation(name, record, pending, xor.length().truncationNumber());
    ObjectRecord marked =
        record
            .resolvedTo(xor.authority().floor())
            .completed(xor.grant(), xor.numbers().completeUpTo());
    PendingRules.requireOnlyDeltas(name, pending.after(marked), firstBlock, endBlock);
    return false;
  }

  /** Old ⊕ δ of every block. The new checksum must follow from the two others (P 5.2). */
  private BufferRun apply(BufferRun delta, List<ExtentPage> pages) throws WeftException {
    int blocks = (int) (endBlock - firstBlock);
    ByteBuffer image = ByteBuffer.allocate(blocks * BLOCK_BYTES);
    read = new ArrayList<>();
    crcs = new int[blocks];
    List<BlockRange> needed = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      long block = firstBlock + i;
      Extent old = BlockImage.at(pages, block);
      BlockImage.Merged source = new BlockImage.Merged(block, old);
      read.add(source);
      if (old != null) {
        needed.add(WriteChange.blockOf(source));
      }
      ByteBuffer bytes = oldBytes(xor.name(), old, block);
      int oldCrc = old == null ? Deltas.CRC_OF_ZEROS : old.crcs()[(int) (block - old.firstBlock())];
      ByteBuffer change = ByteBuffer.allocate(BLOCK_BYTES);
      delta.copy(i * BLOCK_BYTES, BLOCK_BYTES, change);
      Deltas.xor(bytes, change.flip());
      crcs[i] = Deltas.crc(oldCrc, xor.bytes().blockCrcs()[i]);
      if (BufferRun.crc(bytes) != crcs[i]) {
        throw new WeftException(
            ErrorCode.BAD_CHECKSUM,
            "block "
                + block
                + " of object "
                + xor.name()
                + " was not XORed well: its checksum does not follow from the old one and the δ's;"
                + " nothing was written, send it again");
      }
      image.put(bytes);
    }
    pinOnly(needed);
    return new BufferRun(List.of(image.flip()));
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException, StaleException {
    ObjectName name = xor.name();
    Authority authority = xor.authority();
    MutationAdmission.fence(transaction, name.partition(), authority);
    ObjectRecord record = transaction.object(name);
    admit(transaction.partition(name.partition()), record);
    PendingRecords pending = transaction.pending(record);
    if (isKnown(record, pending)) {
      nothingNeeded();
      return Staged.ANSWERED;
    }
    PendingRules.requireTruncation(name, record, pending, xor.length().truncationNumber());
    if (crcs == null) {
      throw new StaleException();
    }
    ObjectState state = ObjectState.of(transaction, name, record);
    state.raiseFloor(authority.floor());
    state.complete(authority.grant(), xor.numbers().completeUpTo());
    AttributeChange.requireRoom(state.record(), name);
    PendingRules.requireOnlyDeltas(name, state.pending(), firstBlock, endBlock);
    PendingRules.requireWindow(
        name, state.pending(), authority, endBlock - firstBlock, store.windowBlocks());
    restsOnOthers = !state.pending().overlapping(firstBlock, endBlock).isEmpty();
    List<ExtentPage> pages = transaction.pages(record.handle(), firstBlock, endBlock);
    for (BlockImage.Merged source : read) {
      if (!source.holds(BlockImage.at(pages, source.block()))) {
        throw new StaleException();
      }
    }
    stageBlocks(transaction, state, pages);
    if (!restsOnOthers) {
      keepCopies(transaction);
    }
    state.finish();
    return Staged.DONE;
  }

  private void stageBlocks(Transaction transaction, ObjectState state, List<ExtentPage> pages)
      throws IOException {
    PageEdit edit =
        new PageEdit(
            transaction, state.record().handle(), pages, PageEdit.Replaced.FREED_AND_HOLES_NOTED);
    for (Extent extent : PageEdit.extents(whole(crcs), ranges)) {
      edit.put(extent);
    }
    List<Extent> kept = PageEdit.extents(whole(xor.bytes().blockCrcs()), deltaRanges);
    kept.forEach(transaction::use);
    long end = endBlock * BLOCK_BYTES;
    state.change(state.record().written(end, edit.finish() + endBlock - firstBlock));
    PendingWrite write =
        new PendingWrite(
            xor.grant(),
            xor.sequence(),
            1,
            PendingKind.XOR_DELTA,
            xor.numbers().participants(),
            xor.bytes().offsetBytes(),
            (endBlock - firstBlock) * BLOCK_BYTES,
            xor.length().eofBytes(),
            xor.length().truncationNumber());
    state.add(new PendingRecord(write, transaction.checkpoint(), kept));
  }

  private Extent whole(int[] checksums) {
    return new Extent(firstBlock, 0, 0, xor.grant(), xor.sequence(), 0, 0, 0, checksums);
  }

  private void admit(PartitionState partition, ObjectRecord record) throws WeftException {
    ObjectName name = xor.name();
    MutationAdmission.requirePartition(partition, name.partition());
    MutationAdmission.requireEpoch(partition, xor.authority());
    MutationAdmission.requireObject(record, name);
    MutationAdmission.requireVersion(record, name, xor.authority());
    PendingRules.requireRecorded(name, xor.authority(), record);
  }

  private boolean isKnown(ObjectRecord record, PendingRecords pending) throws WeftException {
    return PendingRules.isKnown(xor.name(), record, pending, xor.grant(), xor.sequence(), 1);
  }

  /**
   * True where other δs lie under this one: after a power loss their bytes may be gone, and this
   * one with them, although its own were synced. So a caller that wants it durable gets a
   * checkpoint.
   */
  @Override
  public boolean restsOnOthers() {
    return restsOnOthers;
  }
}
