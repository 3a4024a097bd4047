package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.osd.store.Authority;
import org.weft.osd.store.ObjectWrite;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.WriteId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** A client's WRITE (P 5.3, 5.4). */
final class WriteChange extends DataChange {
  private static final int MAX_WRITE_BYTES = 64 << 20;

  private final ObjectWrite write;
  private final long newHandle;
  private final long firstBlock;
  private final long endBlock;
  // What the preparation saw; the record is null where there was no object.
  private ObjectRecord seenRecord;
  private List<ExtentPage> seenPages = List.of();
  // Null: nothing was written, because there are no bytes or they had been written before.
  private BlockImage image;
  private List<BlockRange> ranges = List.of();

  private WriteChange(Parts parts, ObjectWrite write, int lengthBytes) {
    super(parts);
    this.write = write;
    this.newHandle = write.create().isPresent() ? parts.handles().getAndIncrement() : 0;
    this.firstBlock = write.offsetBytes() / BLOCK_BYTES;
    this.endBlock =
        lengthBytes == 0
            ? firstBlock
            : (write.offsetBytes() + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }

  /** Checks the write, and writes its bytes to free blocks. */
  static WriteChange prepare(Parts parts, ObjectWrite write)
      throws IOException, ShortOfSpaceException {
    BufferRun sent = new BufferRun(write.data());
    requireArguments(write, sent);
    requireChecksums(write, sent);
    WriteChange change = new WriteChange(parts, write, sent.lengthBytes());
    boolean prepared = false;
    try {
      change.prepare(sent);
      prepared = true;
    } finally {
      if (!prepared) {
        change.abandoned();
      }
    }
    return change;
  }

  private static void requireArguments(ObjectWrite write, BufferRun sent) throws RpcException {
    long offset = write.offsetBytes();
    int length = sent.lengthBytes();
    if (offset < 0 || offset > MAX_COMPONENT_BYTES - length || length > MAX_WRITE_BYTES) {
      throw invalid("a write of " + length + " bytes at " + offset + " is out of range");
    }
    if (write.eofBytes() < 0) {
      throw invalid("a file length of " + write.eofBytes() + " bytes is out of range");
    }
    if (write.sequenceCount() < 0 || (length > 0 && write.sequenceCount() == 0)) {
      throw invalid("a write needs an id: at least one sequence number");
    }
    if (write.initialAttributes().isPresent()) {
      AttributeChange.requireFits(write.initialAttributes().get());
    }
  }

  private static void requireChecksums(ObjectWrite write, BufferRun sent) throws RpcException {
    int[] actual = sent.blockCrcs((int) (write.offsetBytes() % BLOCK_BYTES));
    if (actual.length != write.blockCrcs().length) {
      throw invalid(
          "a write that touches "
              + actual.length
              + " blocks has "
              + write.blockCrcs().length
              + " checksums");
    }
    int wrong = Arrays.mismatch(actual, write.blockCrcs());
    if (wrong >= 0) {
      throw new RpcException(
          ErrorCode.BAD_CHECKSUM,
          "block "
              + wrong
              + " of a write to object "
              + write.name()
              + " does not match its checksum; nothing was written, send it again");
    }
  }

  private void prepare(BufferRun sent) throws IOException, ShortOfSpaceException {
    pinEverything();
    ObjectName name = write.name();
    seenRecord = lookUp().object(name);
    admit(parts.partitions().get(name.partition()), seenRecord, lookUp());
    if (seenRecord != null) {
      seenPages = lookUp().pages(seenRecord.handle(), firstBlock, endBlock);
    }
    if (firstBlock == endBlock || isKnown(seenRecord, seenPages)) {
      pinOnly(List.of());
      return;
    }
    if (seenRecord != null) {
      // Decided again in the commit; here it spares the IO.
      requireTruncation(seenRecord);
      requireNotBusy(marked(seenRecord), seenPages);
    }
    List<BlockRange> needed = new ArrayList<>();
    image =
        BlockImage.of(
            write.offsetBytes(),
            sent,
            write.blockCrcs(),
            seenPages,
            (extent, block) -> oldBytes(name, extent, block));
    for (BlockImage.Merged merged : image.merged()) {
      if (merged.old() != null) {
        needed.add(blockOf(merged));
      }
    }
    pinOnly(needed);
    int overwritten = 0;
    for (ExtentPage page : seenPages) {
      for (Extent extent : page.within(firstBlock, endBlock)) {
        overwritten += extent.blockCount();
      }
    }
    ranges = writeOut(name, write.authority(), firstBlock, image.bytes(), overwritten);
  }

  private Values lookUp() {
    return parts.values()::get;
  }

  private static BlockRange blockOf(BlockImage.Merged merged) {
    Extent old = merged.old();
    int place = (int) (merged.block() - old.firstBlock());
    return new BlockRange(old.segment(), old.segmentBlock() + place, 1);
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException, StaleException {
    ObjectName name = write.name();
    PartitionState partition = transaction.partition(name.partition());
    ObjectRecord record = transaction.object(name);
    admit(partition, record, transaction);
    List<ExtentPage> pages = pagesNow(transaction, record);
    if (isKnown(record, pages)) {
      nothingNeeded();
      return Staged.ANSWERED;
    }
    requireTruncation(record);
    if (firstBlock < endBlock && image == null) {
      throw new StaleException();
    }
    if (record == null) {
      record = ObjectRecord.created(newHandle, write.create().orElseThrow());
      transaction.addObjects(1);
    }
    ObjectRecord next = marked(record).established(write.truncationNumber(), write.eofBytes());
    AttributeChange.requireRoom(next, name);
    if (image != null) {
      next = stageBytes(transaction, next, pages);
    }
    if (write.initialAttributes().isPresent()) {
      AttributeChange.storeInitial(transaction, next, write.initialAttributes().get());
    }
    transaction.putObject(name, next);
    return Staged.DONE;
  }

  /** A write from before a truncation that this component knows must not bring bytes back. */
  private void requireTruncation(ObjectRecord record) throws RpcException {
    if (record != null
        && Integer.compareUnsigned(write.truncationNumber(), record.truncationNumber()) < 0) {
      throw new RpcException(
          ErrorCode.FENCED,
          "object "
              + write.name()
              + " was truncated: its truncation number is "
              + record.truncationNumber()
              + ", a write with "
              + write.truncationNumber()
              + " comes too late; ask the manager for another grant");
    }
  }

  /** With what the request says of other writes, which counts before its own. */
  private ObjectRecord marked(ObjectRecord record) {
    Authority authority = write.authority();
    return record
        .atVersion(authority.manager() ? 0 : authority.floor())
        .completed(authority.grant(), write.completeUpTo());
  }

  private ObjectRecord stageBytes(
      Transaction transaction, ObjectRecord record, List<ExtentPage> pages)
      throws IOException, StaleException {
    requireUnchanged(pages);
    requireNotBusy(record, pages);
    int stride = strideBlocks(record);
    Extent whole =
        new Extent(
            firstBlock,
            0,
            0,
            write.authority().grant(),
            write.firstSequence(),
            stride,
            0,
            0,
            image.crcs());
    PageEdit edit = new PageEdit(transaction, record.handle(), pages);
    for (Extent extent : PageEdit.extents(whole, ranges)) {
      edit.put(extent);
    }
    long end = write.offsetBytes() + new BufferRun(write.data()).lengthBytes();
    return record.written(end, edit.finish());
  }

  /** Refuses what may not be done to the object, or to its absence. */
  private void admit(PartitionState partition, ObjectRecord record, Values values)
      throws IOException {
    ObjectName name = write.name();
    PartitionId id = name.partition();
    Admission.requirePartition(partition, id);
    Admission.requireEpoch(partition, write.authority());
    if (record != null) {
      Admission.requireVersion(record, name, write.authority());
    } else if (write.create().isEmpty()) {
      Admission.requireObject(null, name);
    } else {
      Admission.requireCreation(partition, values, name, write.authority());
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

  /** True if the write was executed before: its ids are complete, or all its blocks carry them. */
  private boolean isKnown(ObjectRecord record, List<ExtentPage> pages) throws RpcException {
    if (record == null || write.sequenceCount() == 0) {
      return false;
    }
    long last = write.firstSequence() + write.sequenceCount() - 1;
    long grant = write.authority().grant();
    if (Long.compareUnsigned(last, record.completions().upTo(grant)) <= 0) {
      return true;
    }
    if (firstBlock == endBlock) {
      return false;
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
    return carried == endBlock - firstBlock;
  }

  private boolean carriesId(Extent extent, int stride) {
    return extent.grant() == write.authority().grant()
        && extent.sequence() == sequenceAt(extent.firstBlock(), stride)
        && extent.sequenceAt(extent.endBlock() - 1) == sequenceAt(extent.endBlock() - 1, stride);
  }

  private long sequenceAt(long block, int stride) {
    return stride == 0
        ? write.firstSequence()
        : write.firstSequence() + block / stride - firstBlock / stride;
  }

  /** How many blocks of the component belong to one sequence number; 0: all of this write. */
  private int strideBlocks(ObjectRecord record) throws RpcException {
    if (write.sequenceCount() <= 1) {
      return 0;
    }
    int stride = record.tag().unitBytes() / BLOCK_BYTES;
    long units = stride < 1 ? 0 : (endBlock - 1) / stride - firstBlock / stride + 1;
    if (firstBlock < endBlock && units != write.sequenceCount()) {
      throw invalid(
          "a write with "
              + write.sequenceCount()
              + " sequence numbers touches "
              + units
              + " stripe units of object "
              + write.name());
    }
    return stride;
  }

  private void requireUnchanged(List<ExtentPage> pages) throws StaleException {
    for (BlockImage.Merged merged : image.merged()) {
      Extent now = null;
      for (ExtentPage page : pages) {
        if (page.number() == ExtentPage.of(merged.block())) {
          now = page.at(merged.block());
        }
      }
      if (!merged.holds(now)) {
        throw new StaleException();
      }
    }
  }

  /** Blocks of another write that is not complete are not overwritten (P 5.4). */
  private void requireNotBusy(ObjectRecord record, List<ExtentPage> pages) throws RpcException {
    int stride = strideBlocks(record);
    for (ExtentPage page : pages) {
      for (Extent extent : page.within(firstBlock, endBlock)) {
        long last = extent.sequenceAt(extent.endBlock() - 1);
        if (!carriesId(extent, stride) && record.isPending(extent.grant(), last)) {
          throw new RpcException(
              ErrorCode.BUSY,
              "block "
                  + extent.firstBlock()
                  + " of object "
                  + write.name()
                  + " belongs to write "
                  + new WriteId(extent.grant(), last)
                  + ", which is not known to be complete; send its completion first");
        }
      }
    }
  }

  private static RpcException invalid(String message) {
    return new RpcException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
