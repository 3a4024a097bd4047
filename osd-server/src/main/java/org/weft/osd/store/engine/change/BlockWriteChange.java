package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.CommittedValues;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.FileLimits;

/**
 * A manager's WRITE_BLOCKS: whole blocks, each if it is newer, or if what is stored of the same
 * record is damaged (P 6.3).
 */
final class BlockWriteChange extends DataChange {
  private static final int MAX_BLOCKS = 4096;

  private final BlockWrite write;
  private final long newHandle;
  // Indexes of the blocks that were newer than the stored ones, ascending by block number.
  private final List<Integer> wanted = new ArrayList<>();
  // Those of them that are no newer than a damaged block, which they replace.
  private final Set<Integer> healed = new HashSet<>();
  private List<BlockRange> ranges = List.of();

  private BlockWriteChange(StoreState store, BlockWrite write) {
    super(store);
    this.write = write;
    this.newHandle = write.create().isPresent() ? store.handles().getAndIncrement() : 0;
  }

  /** Checks the write, and writes its bytes to free blocks. */
  static BlockWriteChange prepare(StoreState store, BlockWrite write)
      throws IOException, ShortOfSpaceException {
    BufferRun sent = new BufferRun(write.data());
    requireArguments(write, sent);
    BlockWriteChange change = new BlockWriteChange(store, write);
    return prepared(change, () -> change.prepare(sent));
  }

  private static void requireArguments(BlockWrite write, BufferRun sent) throws WeftException {
    int count = write.numbers().length;
    if (count > MAX_BLOCKS
        || write.lsns().length != count
        || write.blockCrcs().length != count
        || sent.lengthBytes() != count * BLOCK_BYTES) {
      throw invalid(
          count
              + " blocks with "
              + write.lsns().length
              + " LSNs, "
              + write.blockCrcs().length
              + " checksums and "
              + sent.lengthBytes()
              + " bytes do not belong together");
    }
    long[] sorted = write.numbers().clone();
    Arrays.sort(sorted);
    for (int i = 0; i < count; i++) {
      if (sorted[i] < 0
          || sorted[i] >= MAX_COMPONENT_BYTES / BLOCK_BYTES
          || (i > 0 && sorted[i] == sorted[i - 1])) {
        throw invalid("block number " + sorted[i] + " is out of range or named twice");
      }
    }
    FileLimits.requireFileLength("a file length", write.eofBytes());
    int wrong = Arrays.mismatch(sent.blockCrcs(0), write.blockCrcs());
    if (wrong >= 0) {
      throw new WeftException(
          ErrorCode.BAD_CHECKSUM,
          "block "
              + write.numbers()[wrong]
              + " for object "
              + write.name()
              + " does not match its checksum; nothing was written, send it again");
    }
  }

  private void prepare(BufferRun sent) throws IOException, ShortOfSpaceException {
    ObjectName name = write.name();
    Values values = new CommittedValues(store);
    ObjectRecord record = values.object(name);
    admit(store.partitions().get(name.partition()), record, values);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < write.numbers().length; i++) {
      order.add(i);
    }
    order.sort((a, b) -> Long.compare(write.numbers()[a], write.numbers()[b]));
    int overwritten = 0;
    ExtentPage page = null;
    for (int index : order) {
      long number = write.numbers()[index];
      if (record != null && (page == null || page.number() != ExtentPage.of(number))) {
        page = values.page(record.handle(), ExtentPage.of(number));
      }
      Extent old = page == null ? null : page.at(number);
      boolean heals = !isNewer(index, old) && isOfSameRecord(index, old) && isDamaged(old, number);
      if (heals) {
        healed.add(index);
      }
      if (heals || isNewer(index, old)) {
        wanted.add(index);
        overwritten += old == null ? 0 : 1;
      }
    }
    if (!wanted.isEmpty()) {
      List<ByteBuffer> bytes = new ArrayList<>();
      for (int index : wanted) {
        bytes.addAll(sent.slice(index * BLOCK_BYTES, BLOCK_BYTES));
      }
      long first = write.numbers()[wanted.get(0)];
      ranges = writeOut(name, write.authority(), first, new BufferRun(bytes), overwritten);
    }
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    ObjectName name = write.name();
    MutationAdmission.fence(transaction, name.partition(), write.authority());
    ObjectRecord record = transaction.object(name);
    admit(transaction.partition(name.partition()), record, transaction);
    if (record == null) {
      record = ObjectRecord.created(newHandle, write.create().orElseThrow());
      transaction.addObjects(1);
    }
    ObjectState state = ObjectState.of(transaction, name, record);
    PageEdit edit =
        new PageEdit(
            transaction, record.handle(), List.of(), PageEdit.Replaced.FREED_AND_HOLES_NOTED);
    int skipped = write.numbers().length - wanted.size();
    long end = 0;
    int place = 0;
    for (BlockRange range : ranges) {
      for (int i = 0; i < range.blockCount(); i++) {
        int index = wanted.get(place++);
        long number = write.numbers()[index];
        int block = range.firstBlock() + i;
        if (isNewer(index, edit.at(number)) || isHealed(index, edit.at(number))) {
          PendingRules.makeWay(name, state, number, number + 1);
          edit.put(extent(index, range.segment(), block));
          end = Math.max(end, (number + 1) * BLOCK_BYTES);
        } else {
          notNeeded(new BlockRange(range.segment(), block, 1));
          skipped++;
        }
      }
    }
    ObjectRecord next = state.record().written(end, edit.finish());
    state.change(next.established(next.truncationNumber(), write.eofBytes()));
    state.finish();
    return Staged.now(new MutationResult.Skipped(skipped));
  }

  private Extent extent(int index, int segment, int block) {
    return new Extent(
        write.numbers()[index],
        0,
        0,
        write.lsns()[index],
        0,
        0,
        segment,
        block,
        new int[] {write.blockCrcs()[index]});
  }

  private void admit(PartitionState partition, ObjectRecord record, Values values)
      throws IOException {
    ObjectName name = write.name();
    MutationAdmission.requirePartition(partition, name.partition());
    MutationAdmission.requireEpoch(partition, write.authority());
    if (record != null) {
      MutationAdmission.requireVersion(record, name, write.authority());
      return;
    }
    if (write.create().isEmpty()) {
      MutationAdmission.requireObject(null, name);
    }
    long newest = 0;
    for (long lsn : write.lsns()) {
      newest = Long.compareUnsigned(lsn, newest) > 0 ? lsn : newest;
    }
    MutationAdmission.requireCreation(partition, values, name, write.authority(), newest);
  }

  private boolean isHealed(int index, Extent old) {
    return healed.contains(index) && isOfSameRecord(index, old);
  }

  private boolean isOfSameRecord(int index, Extent old) {
    return write.lsns()[index] == old.grant();
  }

  /**
   * True if what is stored is what this write brings, but torn by a power loss, or rotten: no other
   * write would ever bring it again.
   */
  private boolean isDamaged(Extent old, long number) {
    try {
      oldBytes(write.name(), old, number);
      return false;
    } catch (WeftException e) {
      return true;
    }
  }

  private boolean isNewer(int index, Extent old) {
    return old == null || Long.compareUnsigned(write.lsns()[index], old.grant()) > 0;
  }

  private static WeftException invalid(String message) {
    return new WeftException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
