package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.engine.block.BlockImage;
import org.weft.osd.store.engine.block.BufferRun;
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
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/**
 * A WRITE or XOR_READ_WRITE (P 5.3, 5.4): new bytes in place of old ones, which the write's record
 * keeps. Extents, record, marks and lengths are one commit.
 */
final class WriteChange extends DataChange {
  private final ObjectWrite write;
  // Null: a WRITE.
  private final DeltaExchange exchange;
  private final long newHandle;
  private final long firstBlock;
  private final long endBlock;
  // What the preparation saw; the record is null where there was no object.
  private ObjectRecord seenRecord;
  private List<ExtentPage> seenPages = List.of();
  // Null: nothing was written, because there are no bytes or they had been written before.
  private BlockImage image;
  // The stored blocks that the image or the δ was made from.
  private List<BlockImage.Merged> read = List.of();
  private List<BlockRange> ranges = List.of();

  private WriteChange(
      StoreState store,
      ObjectWrite write,
      DeltaExchange exchange,
      boolean durable,
      int lengthBytes) {
    super(store, durable);
    this.write = write;
    this.exchange = exchange;
    this.newHandle = write.creation().tag().isPresent() ? store.handles().getAndIncrement() : 0;
    this.firstBlock = write.bytes().offsetBytes() / BLOCK_BYTES;
    this.endBlock =
        lengthBytes == 0
            ? firstBlock
            : (write.bytes().offsetBytes() + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }

  /**
   * Checks the write, and writes its bytes to free blocks.
   *
   * @param follows changes that are not committed yet decide on it, too: not now, but in the commit
   * @param durable no caller is told of it before it is on stable storage
   */
  static WriteChange prepare(StoreState store, ObjectWrite write, boolean follows, boolean durable)
      throws IOException, ShortOfSpaceException {
    return prepare(store, write, null, follows, durable);
  }

  /** Checks the write, writes its bytes to free blocks, and makes the δ. */
  static WriteChange prepare(StoreState store, XorWrite exchange, boolean durable)
      throws IOException, ShortOfSpaceException {
    WriteArguments.requireOne(exchange);
    ObjectWrite write =
        new ObjectWrite(
            exchange.name(),
            exchange.authority(),
            exchange.bytes(),
            exchange.numbers(),
            exchange.length(),
            ObjectCreation.NONE,
            exchange.durable());
    return prepare(store, write, new DeltaExchange(store, exchange.name()), false, durable);
  }

  private static WriteChange prepare(
      StoreState store, ObjectWrite write, DeltaExchange exchange, boolean follows, boolean durable)
      throws IOException, ShortOfSpaceException {
    BufferRun sent = new BufferRun(write.bytes().data());
    WriteArguments.require(write, sent);
    WriteChange change = new WriteChange(store, write, exchange, durable, sent.lengthBytes());
    return prepared(change, () -> change.prepare(sent, follows));
  }

  private void prepare(BufferRun sent, boolean follows) throws IOException, ShortOfSpaceException {
    pinEverything();
    ObjectName name = write.name();
    Values lookUp = new CommittedValues(store);
    seenRecord = lookUp.object(name);
    if (!follows) {
      admit(store.partitions().get(name.partition()), seenRecord, lookUp);
    }
    PendingRecords pending = PendingRecords.NONE;
    if (seenRecord != null) {
      pending = lookUp.pending(seenRecord);
      seenPages = lookUp.pages(seenRecord.handle(), firstBlock, endBlock);
    }
    if (firstBlock == endBlock) {
      pinOnly(List.of());
      return;
    }
    if (!follows && isKnown(seenRecord, pending, seenPages)) {
      pinOnly(exchange == null ? List.of() : exchange.again(seenRecord, pending, write, seenPages));
      return;
    }
    if (seenRecord != null && !follows) {
      // Decided again in the commit; here it spares the IO.
      requireAllowed(seenRecord, pending);
    }
    image =
        BlockImage.of(
            write.bytes().offsetBytes(),
            sent,
            write.bytes().blockCrcs(),
            seenPages,
            storedEndBytes(),
            (extent, block) -> oldBytes(name, extent, block));
    read = image.merged();
    if (exchange != null) {
      read = exchange.first(image, seenPages);
    }
    List<BlockRange> needed = new ArrayList<>();
    for (BlockImage.Merged merged : read) {
      if (merged.old() != null) {
        needed.add(blockOf(merged));
      }
    }
    pinOnly(needed);
    ranges = writeOut(name, write.authority(), firstBlock, image.bytes(), overwritten());
  }

  /** Where the component ends for an append; a write that makes a δ needs what is there. */
  private long storedEndBytes() {
    return exchange == null ? componentBytes() : Long.MAX_VALUE;
  }

  private long componentBytes() {
    return seenRecord == null ? 0 : seenRecord.componentBytes();
  }

  private int overwritten() {
    if (exchange != null) {
      // It changes what is there: a hole in a stripe is a zero that parity counts on. But an append
      // to a component has no part in the reserve.
      long storedEndBlock = (componentBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES;
      return (int) Math.max(0, Math.min(endBlock, storedEndBlock) - firstBlock);
    }
    int overwritten = 0;
    for (ExtentPage page : seenPages) {
      for (Extent extent : page.within(firstBlock, endBlock)) {
        overwritten += extent.blockCount();
      }
    }
    return overwritten;
  }

  static BlockRange blockOf(BlockImage.Merged merged) {
    Extent old = merged.old();
    int place = (int) (merged.block() - old.firstBlock());
    return new BlockRange(old.segment(), old.segmentBlock() + place, 1);
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException, StaleException {
    ObjectName name = write.name();
    MutationAdmission.fence(transaction, name.partition(), write.authority());
    PartitionState partition = transaction.partition(name.partition());
    ObjectRecord record = transaction.object(name);
    admit(partition, record, transaction);
    PendingRecords pending = record == null ? PendingRecords.NONE : transaction.pending(record);
    List<ExtentPage> pages = pagesNow(transaction, record);
    if (isKnown(record, pending, pages)) {
      nothingNeeded();
      return exchange == null
          ? Staged.ANSWERED
          : Staged.before(
              new MutationResult.Exchanged(
                  Optional.ofNullable(exchange.answer(record, pending, write, pages))));
    }
    if (record != null) {
      PendingRules.requireTruncation(name, record, pending, write.length().truncationNumber());
    }
    if (firstBlock < endBlock && image == null) {
      throw new StaleException();
    }
    if (record == null) {
      record = ObjectRecord.created(newHandle, write.creation().tag().orElseThrow());
      transaction.addObjects(1);
    }
    ObjectState state = ObjectState.of(transaction, name, record);
    state.raiseFloor(write.authority().floor());
    state.complete(write.authority().grant(), write.numbers().completeUpTo());
    AttributeChange.requireRoom(state.record(), name);
    if (image != null) {
      stageBytes(transaction, state, pages);
      keepCopies(transaction);
    } else {
      stageLength(transaction, state);
    }
    if (write.creation().attributes().isPresent()) {
      state.change(
          AttributeChange.storeInitial(
              transaction, state.record(), write.creation().attributes().get()));
    }
    state.finish();
    return exchange == null || image == null
        ? Staged.DONE
        : Staged.now(new MutationResult.Exchanged(Optional.of(exchange.delta())));
  }

  private void stageBytes(Transaction transaction, ObjectState state, List<ExtentPage> pages)
      throws IOException, StaleException {
    ObjectName name = write.name();
    long end = write.bytes().offsetBytes() + write.bytes().lengthBytes();
    requireUnchanged(pages, state.record(), end);
    boolean recorded = PendingRules.leavesRecord(write.authority(), state.record());
    if (recorded) {
      PendingRules.requireAlone(name, state.pending(), firstBlock, endBlock);
    } else {
      PendingRules.makeWay(name, state, firstBlock, endBlock);
    }
    Extent whole =
        new Extent(
            firstBlock,
            0,
            0,
            write.authority().grant(),
            write.numbers().first(),
            strideBlocks(state.record()),
            0,
            0,
            image.crcs());
    PageEdit edit =
        new PageEdit(
            transaction,
            state.record().handle(),
            pages,
            recorded ? PageEdit.Replaced.KEPT : PageEdit.Replaced.FREED);
    for (Extent extent : PageEdit.extents(whole, ranges)) {
      edit.put(write.bytes().lost() ? extent.asLost() : extent);
    }
    state.change(state.record().written(end, edit.finish()));
    if (recorded) {
      leave(
          state,
          recordOf(end - write.bytes().offsetBytes(), transaction.checkpoint(), edit.kept()));
    } else {
      settleLength(state);
    }
  }

  /** Where there are no bytes of a write, its length goes where the write goes (P 4.3, 5.4). */
  private void stageLength(Transaction transaction, ObjectState state) throws WeftException {
    if (write.numbers().count() > 0
        && PendingRules.leavesRecord(write.authority(), state.record())) {
      leave(state, recordOf(0, transaction.checkpoint(), List.of()));
    } else {
      settleLength(state);
    }
  }

  private void leave(ObjectState state, PendingRecord left) throws WeftException {
    PendingRules.requireWindow(
        write.name(), state.pending(), write.authority(), left.keptBlocks(), store.windowBlocks());
    state.add(left);
  }

  private PendingRecord recordOf(long lengthBytes, long checkpoint, List<Extent> kept) {
    return new PendingRecord(
        new PendingWrite(
            write.authority().grant(),
            write.numbers().first(),
            write.numbers().count(),
            exchange == null ? PendingKind.STRIPE : PendingKind.XOR_DATA,
            write.numbers().participants(),
            write.bytes().offsetBytes(),
            lengthBytes,
            write.length().eofBytes(),
            write.length().truncationNumber()),
        checkpoint,
        kept);
  }

  /** A write without a record cannot be undone: its length stands at once. */
  private void settleLength(ObjectState state) {
    state.change(
        state.record().established(write.length().truncationNumber(), write.length().eofBytes()));
  }

  private void requireAllowed(ObjectRecord record, PendingRecords pending) throws WeftException {
    ObjectName name = write.name();
    PendingRules.requireTruncation(name, record, pending, write.length().truncationNumber());
    if (!PendingRules.leavesRecord(write.authority(), record)) {
      return;
    }
    // What the request says of other writes counts before its own.
    ObjectRecord marked =
        record
            .resolvedTo(write.authority().floor())
            .completed(write.authority().grant(), write.numbers().completeUpTo());
    PendingRules.requireAlone(name, pending.after(marked), firstBlock, endBlock);
  }

  /** Refuses what may not be done to the object, or to its absence. */
  private void admit(PartitionState partition, ObjectRecord record, Values values)
      throws IOException {
    ObjectName name = write.name();
    PartitionId id = name.partition();
    MutationAdmission.requirePartition(partition, id);
    MutationAdmission.requireEpoch(partition, write.authority());
    if (record != null) {
      MutationAdmission.requireVersion(record, name, write.authority());
    } else if (write.creation().tag().isEmpty()) {
      MutationAdmission.requireObject(null, name);
    } else {
      MutationAdmission.requireCreation(partition, values, name, write.authority());
    }
  }

  private List<ExtentPage> pagesNow(Transaction transaction, ObjectRecord record)
      throws IOException {
    if (record == null) {
      return List.of();
    }
    boolean same =
        seenRecord != null
            && seenRecord.handle() == record.handle()
            && seenRecord.change() == record.change();
    return same ? seenPages : transaction.pages(record.handle(), firstBlock, endBlock);
  }

  /**
   * True if the write was executed before. What leaves a record is known by the list alone: a block
   * may carry the id of a write that was undone. A manager's own is known by its blocks.
   */
  private boolean isKnown(ObjectRecord record, PendingRecords pending, List<ExtentPage> pages)
      throws WeftException {
    if (record == null || write.numbers().count() == 0) {
      return false;
    }
    if (exchange != null) {
      PendingRules.requireRecorded(write.name(), write.authority(), record);
    }
    long grant = write.authority().grant();
    long last = write.numbers().first() + write.numbers().count() - 1;
    if (PendingRules.leavesRecord(write.authority(), record)) {
      return PendingRules.isKnown(
          write.name(), record, pending, grant, write.numbers().first(), write.numbers().count());
    }
    if (Long.compareUnsigned(last, record.completions().upTo(grant)) <= 0) {
      return true;
    }
    int stride = strideBlocks(record);
    long carried = 0;
    for (ExtentPage page : pages) {
      for (Extent extent : page.within(firstBlock, endBlock)) {
        if (carriesId(extent, stride)) {
          carried += extent.blockCount();
        }
      }
    }
    return firstBlock < endBlock && carried == endBlock - firstBlock;
  }

  private boolean carriesId(Extent extent, int stride) {
    return extent.grant() == write.authority().grant()
        && extent.sequence() == sequenceAt(extent.firstBlock(), stride)
        && extent.sequenceAt(extent.endBlock() - 1) == sequenceAt(extent.endBlock() - 1, stride);
  }

  private long sequenceAt(long block, int stride) {
    return stride == 0
        ? write.numbers().first()
        : write.numbers().first() + block / stride - firstBlock / stride;
  }

  /** How many blocks of the component belong to one sequence number; 0: all of this write. */
  private int strideBlocks(ObjectRecord record) throws WeftException {
    if (write.numbers().count() <= 1) {
      return 0;
    }
    int stride = record.tag().unitBytes() / BLOCK_BYTES;
    long units = stride < 1 ? 0 : (endBlock - 1) / stride - firstBlock / stride + 1;
    if (firstBlock < endBlock && units != write.numbers().count()) {
      throw PendingRules.invalid(
          "a write with "
              + write.numbers().count()
              + " sequence numbers touches "
              + units
              + " stripe units of object "
              + write.name());
    }
    return stride;
  }

  private void requireUnchanged(List<ExtentPage> pages, ObjectRecord record, long endBytes)
      throws StaleException {
    if (image.endsComponent() && record.componentBytes() > endBytes) {
      throw new StaleException();
    }
    for (BlockImage.Merged merged : read) {
      if (!merged.holds(BlockImage.at(pages, merged.block()))) {
        throw new StaleException();
      }
    }
  }
}
