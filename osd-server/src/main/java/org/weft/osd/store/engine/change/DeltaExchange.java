package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.engine.block.BlockImage;
import org.weft.osd.store.engine.block.Deltas;
import org.weft.osd.store.engine.block.StoredBlocks;
import org.weft.osd.store.engine.commit.StaleException;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;

/**
 * The δ of an XOR_READ_WRITE (P 5.3): made while the write is prepared, from bytes that are
 * verified; given away only if the commit finds everything where it was read.
 */
public final class DeltaExchange {
  private final StoreState store;
  private final ObjectName name;
  private Delta delta;
  // What the δ of a repeated id was made from.
  private List<BlockImage.Merged> answered;

  DeltaExchange(StoreState store, ObjectName name) {
    this.store = store;
    this.name = name;
  }

  Delta delta() {
    return delta;
  }

  /** Makes the δ between what is stored and the image; gives the blocks that it read. */
  List<BlockImage.Merged> first(BlockImage image, List<ExtentPage> pages) throws WeftException {
    List<BlockImage.Merged> read = new ArrayList<>();
    long end = image.firstBlock() + image.crcs().length;
    for (long block = image.firstBlock(); block < end; block++) {
      read.add(new BlockImage.Merged(block, BlockImage.at(pages, block)));
    }
    delta =
        Deltas.between(
            image.firstBlock(),
            end,
            block -> StoredBlocks.read(store, name, BlockImage.at(pages, block), block),
            block -> image.block(block));
    return read;
  }

  /**
   * Makes the δ of a pending write again, from what it kept and its own bytes; gives the ranges
   * that must not be used anew until it is decided.
   */
  List<BlockRange> again(
      ObjectRecord object, PendingRecords pending, ObjectWrite write, List<ExtentPage> pages)
      throws WeftException {
    PendingRecord record = recordOf(pending, write);
    // A run that was aborted stays in the list until its last number is complete.
    if (record == null || isComplete(object, write)) {
      return List.of();
    }
    answered = places(record, pages);
    delta = of(store, name, record, pages);
    List<BlockRange> needed = new ArrayList<>();
    for (BlockImage.Merged merged : answered) {
      if (merged.old() != null) {
        needed.add(WriteChange.blockOf(merged));
      }
    }
    return needed;
  }

  /** Null if the write is complete. Stale if the δ was made from other bytes than these. */
  Delta answer(
      ObjectRecord object, PendingRecords pending, ObjectWrite write, List<ExtentPage> pages)
      throws IOException, StaleException {
    if (isComplete(object, write)) {
      return null;
    }
    List<BlockImage.Merged> now = places(recordOf(pending, write), pages);
    if (answered == null || answered.size() != now.size()) {
      throw new StaleException();
    }
    for (int i = 0; i < now.size(); i++) {
      if (answered.get(i).block() != now.get(i).block()
          || !answered.get(i).holds(now.get(i).old())) {
        throw new StaleException();
      }
    }
    return delta;
  }

  private static boolean isComplete(ObjectRecord object, ObjectWrite write) {
    return object.isComplete(write.authority().grant(), write.numbers().first());
  }

  private static PendingRecord recordOf(PendingRecords pending, ObjectWrite write) {
    List<PendingRecord> found =
        pending.numbered(
            write.authority().grant(), write.numbers().first(), write.numbers().first());
    return found.isEmpty() ? null : found.get(0);
  }

  private static List<BlockImage.Merged> places(PendingRecord record, List<ExtentPage> pages) {
    List<BlockImage.Merged> places = new ArrayList<>();
    for (long block = record.firstBlock(); block < record.endBlock(); block++) {
      places.add(new BlockImage.Merged(block, record.keptAt(block)));
      places.add(new BlockImage.Merged(block, BlockImage.at(pages, block)));
    }
    return places;
  }

  /**
   * The δ of a pending XOR write as the object has it.
   *
   * @param pages that hold the write's blocks
   */
  public static Delta of(
      StoreState store, ObjectName name, PendingRecord record, List<ExtentPage> pages)
      throws WeftException {
    long first = record.firstBlock();
    long end = record.endBlock();
    Deltas.Blocks kept = block -> StoredBlocks.read(store, name, record.keptAt(block), block);
    if (record.kind() == PendingKind.XOR_DELTA) {
      return Deltas.gather(first, end, kept);
    }
    if (record.kind() != PendingKind.XOR_DATA) {
      throw PendingRules.invalid(
          "write "
              + record.write().firstSequence()
              + " of object "
              + name
              + " is "
              + record.kind()
              + " and has no δ");
    }
    return Deltas.between(
        first,
        end,
        kept,
        block -> {
          Extent now = BlockImage.at(pages, block);
          return StoredBlocks.read(store, name, now, block);
        });
  }
}
