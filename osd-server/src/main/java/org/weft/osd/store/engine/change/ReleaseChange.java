package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.engine.block.Deltas;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.FileLimits;

/**
 * Lets go of blocks that a truncation cuts off, or that hold zeros and are punched (P 4.3). They
 * are free for others once a checkpoint covers the commit and no reader has them pinned.
 */
final class ReleaseChange extends SmallChange {
  private static final int PAGES_AT_ONCE = 512;
  private static final int BLOCK_BYTES = DataChange.BLOCK_BYTES;

  private final BlockRelease release;
  private final long firstBlock;
  private final long endBlock;

  ReleaseChange(BlockRelease release) throws WeftException {
    this.release = release;
    if (release.sequence() < 1) {
      throw invalid("letting go of blocks needs an id: sequence numbers start at 1");
    }
    if (release instanceof ObjectTruncation truncation) {
      requireWholeBlocks("the length", truncation.lengthBytes());
      FileLimits.requireFileLength("a file length", truncation.eofBytes());
      this.firstBlock = truncation.lengthBytes() / BLOCK_BYTES;
      this.endBlock = DataChange.MAX_COMPONENT_BYTES / BLOCK_BYTES;
    } else {
      ObjectPunch punch = (ObjectPunch) release;
      requireWholeBlocks("the offset", punch.offsetBytes());
      requireWholeBlocks("the length", punch.lengthBytes());
      this.firstBlock = punch.offsetBytes() / BLOCK_BYTES;
      this.endBlock = firstBlock + punch.lengthBytes() / BLOCK_BYTES;
    }
  }

  private static void requireWholeBlocks(String what, long bytes) throws WeftException {
    if (bytes < 0 || bytes > DataChange.MAX_COMPONENT_BYTES || bytes % BLOCK_BYTES != 0) {
      throw invalid(
          "%s of a truncation must be a multiple of %d from 0 to %d bytes, got %d"
              .formatted(what, BLOCK_BYTES, DataChange.MAX_COMPONENT_BYTES, bytes));
    }
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    ObjectName name = release.name();
    Authority authority = release.authority();
    MutationAdmission.fence(transaction, name.partition(), authority);
    ObjectRecord record = MutationAdmission.requireObject(transaction.object(name), name);
    MutationAdmission.requireVersion(record, name, authority);
    if (PendingRules.isOver(record, authority.grant(), release.sequence())) {
      return Staged.ANSWERED;
    }
    ObjectState state = ObjectState.of(transaction, name, record);
    state.raiseFloor(authority.floor());
    state.complete(authority.grant(), release.completeUpTo());
    if (release instanceof ObjectTruncation truncation) {
      state.change(
          state.record().established(truncation.truncationNumber(), truncation.eofBytes()));
      cutRecords(state);
    }
    AttributeChange.requireRoom(state.record(), name);
    List<Transaction.Entry> pages = pages(transaction, record.handle());
    long released = 0;
    for (Transaction.Entry entry : pages) {
      released += release(transaction, record.handle(), entry);
    }
    ObjectRecord next = state.record().written(0, -released);
    long resumeBlock = resumeBlock(pages);
    if (resumeBlock == 0 && release instanceof ObjectTruncation truncation) {
      next = cut(transaction, next, truncation.lengthBytes());
    }
    state.change(next);
    state.finish();
    return Staged.now(new MutationResult.Released(resumeBlock));
  }

  /**
   * A pending write that is not newer loses what lies behind the cut: nothing of it is there to be
   * undone, and its truncation number keeps it from coming back.
   */
  private void cutRecords(ObjectState state) {
    for (PendingRecord record : state.pending().overlapping(firstBlock, endBlock)) {
      int order = Long.compareUnsigned(record.grant(), release.authority().grant());
      if (order < 0 || (order == 0 && record.write().lastSequence() <= release.sequence())) {
        state.cut(record, firstBlock);
      }
    }
  }

  private List<Transaction.Entry> pages(Transaction transaction, long handle) throws IOException {
    long from = Math.max(firstBlock, release.resumeBlock());
    if (from >= endBlock) {
      return List.of();
    }
    return transaction.scan(
        StoreKeys.extents(handle, ExtentPage.of(from)),
        StoreKeys.extents(handle, ExtentPage.of(endBlock - 1) + 1),
        PAGES_AT_ONCE);
  }

  private long resumeBlock(List<Transaction.Entry> pages) {
    if (pages.size() < PAGES_AT_ONCE) {
      return 0;
    }
    long reached = StoreKeys.numberAt(pages.get(pages.size() - 1).key(), 1);
    long next = (reached + 1) * ExtentPage.BLOCKS;
    return next < endBlock ? next : 0;
  }

  /** Lets go of what it may of one page; gives the number of blocks. */
  private int release(Transaction transaction, long handle, Transaction.Entry entry)
      throws IOException {
    long number = StoreKeys.numberAt(entry.key(), 1);
    ExtentPage page = ExtentPageCodec.decode(number, entry.value());
    List<Extent> kept = new ArrayList<>();
    List<Extent> released = new ArrayList<>();
    int blocks = 0;
    for (Extent extent : page.extents()) {
      long from = extent.firstBlock();
      while (from < extent.endBlock()) {
        boolean goes = goes(extent, from);
        long to = from + 1;
        while (to < extent.endBlock() && goes(extent, to) == goes) {
          to++;
        }
        (goes ? released : kept).add(extent.part(from, to));
        blocks += goes ? (int) (to - from) : 0;
        from = to;
      }
    }
    if (!released.isEmpty()) {
      released.forEach(transaction::free);
      transaction.keepCut(handle, number, released);
      if (kept.isEmpty()) {
        transaction.remove(entry.key());
      } else {
        transaction.putPage(handle, new ExtentPage(number, kept));
      }
    }
    return blocks;
  }

  private boolean goes(Extent extent, long block) {
    if (block < firstBlock || block >= endBlock) {
      return false;
    }
    int order = Long.compareUnsigned(extent.grant(), release.authority().grant());
    boolean newer = order > 0 || (order == 0 && extent.sequenceAt(block) > release.sequence());
    return !newer
        && (release instanceof ObjectTruncation
            || extent.crcs()[(int) (block - extent.firstBlock())] == Deltas.CRC_OF_ZEROS);
  }

  /** The component ends at the length, unless newer blocks are left behind it. */
  private ObjectRecord cut(Transaction transaction, ObjectRecord record, long lengthBytes)
      throws IOException {
    long handle = record.handle();
    byte[] end = StoreKeys.after(StoreKeys.prefix(StoreKeys.EXTENTS, handle));
    byte[] from = StoreKeys.extents(handle, ExtentPage.of(firstBlock));
    // The first page may hold blocks before the length alone.
    for (Transaction.Entry entry : transaction.scan(from, end, 2)) {
      ExtentPage page = ExtentPageCodec.decode(StoreKeys.numberAt(entry.key(), 1), entry.value());
      if (!page.within(firstBlock, endBlock).isEmpty()) {
        return record;
      }
    }
    return record.endingAt(lengthBytes);
  }

  private static WeftException invalid(String message) {
    return new WeftException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
