package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.MutationResult;
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
import org.weft.osd.store.mutation.WriteAbort;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.Demand;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;

/**
 * Undoes a pending write (P 5.4). What a stripe write or a data unit took the place of goes back
 * into the pages: no bytes are written. A δ is XORed off what the block holds by now, for others
 * may have been XORed on since; those bytes are durable before the commit that leads to them, so
 * that no power loss can bring the aborted write back in their stead.
 */
final class AbortChange extends DataChange {
  private static final int MAX_RUN = 1 << 16;

  private final WriteAbort abort;
  private final long last;
  // The δ that is XORed off, as the preparation saw it; null: there is none.
  private PendingRecord seen;
  private List<BlockImage.Merged> read = List.of();
  private List<Extent> restored = List.of();

  private AbortChange(StoreState store, WriteAbort abort) {
    super(store);
    this.abort = abort;
    this.last = abort.firstSequence() + abort.sequenceCount() - 1;
  }

  static AbortChange prepare(StoreState store, WriteAbort abort)
      throws IOException, ShortOfSpaceException {
    if (abort.firstSequence() < 1 || abort.sequenceCount() < 1 || abort.sequenceCount() > MAX_RUN) {
      throw PendingRules.invalid(
          "an abort names a write: its first number, from 1 on, and how many there are");
    }
    if (new Lsn(abort.authority().grant()).index() == 0) {
      throw PendingRules.invalid("an abort names a write of a client's grant");
    }
    AbortChange change = new AbortChange(store, abort);
    return prepared(change, () -> change.prepare());
  }

  private void prepare() throws IOException, ShortOfSpaceException {
    pinEverything();
    Values lookUp = new CommittedValues(store);
    ObjectName name = abort.name();
    ObjectRecord record = lookUp.object(name);
    admit(store.partitions().get(name.partition()), record);
    seen = deltaOf(lookUp.pending(record));
    if (seen == null) {
      pinOnly(List.of());
      return;
    }
    long first = seen.firstBlock();
    long end = seen.endBlock();
    List<ExtentPage> pages = lookUp.pages(record.handle(), first, end);
    ByteBuffer image = ByteBuffer.allocate((int) (end - first) * BLOCK_BYTES);
    int[] crcs = new int[(int) (end - first)];
    read = new ArrayList<>();
    List<BlockRange> needed = new ArrayList<>();
    for (long block = first; block < end; block++) {
      Extent now = BlockImage.at(pages, block);
      BlockImage.Merged source = new BlockImage.Merged(block, now);
      read.add(source);
      needed.add(WriteChange.blockOf(new BlockImage.Merged(block, seen.keptAt(block))));
      if (now != null) {
        needed.add(WriteChange.blockOf(source));
      }
      ByteBuffer bytes = oldBytes(name, now, block);
      Deltas.xor(bytes, oldBytes(name, seen.keptAt(block), block));
      crcs[(int) (block - first)] = BufferRun.crc(bytes);
      image.put(bytes);
    }
    pinOnly(needed);
    List<BlockRange> ranges =
        writeOut(
            name, new Demand(name, first, crcs.length, 0), new BufferRun(List.of(image.flip())));
    forceAll();
    Extent whole =
        new Extent(first, 0, 0, seen.grant(), seen.write().firstSequence(), 0, 0, 0, crcs);
    restored = PageEdit.extents(whole, ranges);
  }

  private PendingRecord deltaOf(PendingRecords pending) {
    for (PendingRecord record : numbered(pending)) {
      if (record.kind() == PendingKind.XOR_DELTA) {
        return record;
      }
    }
    return null;
  }

  private List<PendingRecord> numbered(PendingRecords pending) {
    return pending.numbered(abort.authority().grant(), abort.firstSequence(), last);
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException, StaleException {
    ObjectName name = abort.name();
    MutationAdmission.fence(transaction, name.partition(), abort.authority());
    ObjectRecord record = transaction.object(name);
    admit(transaction.partition(name.partition()), record);
    ObjectState state = ObjectState.of(transaction, name, record);
    List<PendingRecord> found = numbered(state.pending());
    requireWhole(found);
    if (found.size() == 1
        && found.get(0).kind() == PendingKind.ABORTED
        && found.get(0).write().sequenceCount() == abort.sequenceCount()) {
      nothingNeeded();
      return Staged.ANSWERED;
    }
    List<Integer> participants = List.of();
    boolean undone = false;
    for (PendingRecord one : found) {
      if (one.kind() != PendingKind.ABORTED) {
        participants = one.write().participants();
        undone = true;
      }
      undo(transaction, state, one);
    }
    if (!undone) {
      nothingNeeded();
      PendingRules.requireWindow(name, state.pending(), abort.authority(), 0, store.windowBlocks());
    }
    PendingWrite left =
        new PendingWrite(
            abort.authority().grant(),
            abort.firstSequence(),
            abort.sequenceCount(),
            PendingKind.ABORTED,
            participants,
            0,
            0,
            0,
            0);
    state.add(new PendingRecord(left, transaction.checkpoint(), List.of()));
    state.finish();
    return Staged.now(new MutationResult.Ended(undone));
  }

  /** What comes back was written by others. */
  @Override
  public boolean restsOnOthers() {
    return true;
  }

  private void undo(Transaction transaction, ObjectState state, PendingRecord one)
      throws IOException, StaleException {
    if (one.kind() == PendingKind.ABORTED) {
      state.remove(one);
      return;
    }
    if (one.kind() == PendingKind.XOR_DELTA) {
      takeOff(transaction, state, one);
      return;
    }
    PageEdit edit =
        new PageEdit(transaction, state.record().handle(), List.of(), PageEdit.Replaced.FREED);
    edit.undo(one);
    state.change(state.record().written(endOfRestored(state, one), edit.finish()));
    state.remove(one);
  }

  /** Where the component ends at least, if blocks come back behind its end; else 0. */
  private static long endOfRestored(ObjectState state, PendingRecord one) {
    long end = 0;
    for (Extent old : one.kept()) {
      end = Math.max(end, old.endBlock() * DataChange.BLOCK_BYTES);
    }
    long stored = state.record().componentBytes();
    return end - stored >= DataChange.BLOCK_BYTES ? end : 0;
  }

  private void takeOff(Transaction transaction, ObjectState state, PendingRecord one)
      throws IOException, StaleException {
    if (seen == null
        || seen.firstBlock() != one.firstBlock()
        || seen.endBlock() != one.endBlock()) {
      throw new StaleException();
    }
    PageEdit edit =
        new PageEdit(
            transaction, state.record().handle(), List.of(), PageEdit.Replaced.FREED_FOR_GOOD);
    for (BlockImage.Merged source : read) {
      if (!source.holds(edit.at(source.block()))) {
        throw new StaleException();
      }
    }
    for (Extent extent : restored) {
      edit.put(extent);
    }
    state.change(state.record().written(0, edit.finish()));
    state.drop(one);
  }

  private void requireWhole(List<PendingRecord> found) throws WeftException {
    for (PendingRecord one : found) {
      PendingWrite write = one.write();
      if (write.firstSequence() < abort.firstSequence() || write.lastSequence() > last) {
        throw PendingRules.invalid(
            "writes "
                + abort.firstSequence()
                + " to "
                + last
                + " of object "
                + abort.name()
                + " are a part of the run "
                + write.firstSequence()
                + " to "
                + write.lastSequence()
                + "; a run is undone as a whole");
      }
      if (one.kind() == PendingKind.XOR_DELTA && abort.sequenceCount() != 1) {
        throw PendingRules.invalid("XOR writes are undone one by one");
      }
    }
  }

  private void admit(PartitionState partition, ObjectRecord record) throws WeftException {
    ObjectName name = abort.name();
    Authority authority = abort.authority();
    MutationAdmission.requirePartition(partition, name.partition());
    MutationAdmission.requireEpoch(partition, authority);
    MutationAdmission.requireObject(record, name);
    MutationAdmission.requireVersion(record, name, authority);
    if (record.isComplete(authority.grant(), abort.firstSequence())) {
      throw PendingRules.invalid(
          "write "
              + abort.firstSequence()
              + " of grant "
              + new Lsn(authority.grant())
              + " is complete in object "
              + name
              + " and is not undone any more");
    }
  }
}
