package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.block.StoredBlocks;
import org.weft.osd.store.engine.commit.Change;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.space.Allocation;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.Demand;
import org.weft.osd.store.space.Pins;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.FileLimits;

/** A change whose bytes are written to free blocks while it is prepared. */
abstract class DataChange implements Change {
  static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  /** This part of the reserve is for managers alone. */
  static final long MANAGERS_SHARE = 8;

  /** No component is longer. */
  static final long MAX_COMPONENT_BYTES = FileLimits.MAX_COMPONENT_BYTES;

  /** A durable change of more blocks has its segments synced: the tables are no place for it. */
  private static final int MAX_COPIED_BLOCKS = 8;

  /**
   * Copies of one commit: the disk is asked for space every 64 commits, and must not be full before
   * the next time.
   */
  private static final long MAX_COPIED_BYTES = 256 << 10;

  protected final StoreState store;
  private final List<BlockRange> allocated = new ArrayList<>();
  private final List<Written> written = new ArrayList<>();
  private final List<BlockRange> unused = new ArrayList<>();
  private final boolean durable;
  private Pins.Pin pin;
  private boolean copied;

  /** Bytes and where they lie. */
  private record Written(BlockRange range, List<ByteBuffer> bytes) {}

  DataChange(StoreState store) {
    this(store, false);
  }

  /**
   * @param durable no caller is told of the change before it is on stable storage
   */
  DataChange(StoreState store, boolean durable) {
    this.store = store;
    this.durable = durable;
  }

  /** Reads and writes what there is to be read and written before the commit. */
  @FunctionalInterface
  interface Preparation {
    void run() throws IOException, ShortOfSpaceException;
  }

  /** The change once it is prepared; if it cannot be, it is abandoned. */
  static <C extends DataChange> C prepared(C change, Preparation preparation)
      throws IOException, ShortOfSpaceException {
    boolean done = false;
    try {
      preparation.run();
      done = true;
    } finally {
      if (!done) {
        change.abandoned();
      }
    }
    return change;
  }

  /** Keeps old blocks from being used again while the change is prepared and decided. */
  final void pinEverything() {
    pin = store.pins().everything();
  }

  /** The pin is needed for these alone. */
  final void pinOnly(List<BlockRange> ranges) {
    pin.narrow(ranges);
  }

  /**
   * Gets blocks and writes the bytes to them.
   *
   * @param overwritten how many stored blocks the change overwrites. So many may come from the
   *     reserve, so that an overwrite does not fail where parity depends on it (P 5.4)
   */
  final List<BlockRange> writeOut(
      ObjectName name, Authority authority, long firstBlock, BufferRun image, int overwritten)
      throws IOException, ShortOfSpaceException {
    int blocks = image.lengthBytes() / BLOCK_BYTES;
    long leaveFree;
    if (authority.manager()) {
      leaveFree = 0;
    } else {
      // What is overwritten is kept until it is complete: many such writes may be under way.
      long dip = overwritten >= blocks ? store.reserveBlocks() : overwritten;
      leaveFree = Math.max(store.reserveBlocks() / MANAGERS_SHARE, store.reserveBlocks() - dip);
    }
    return writeOut(name, new Demand(name, firstBlock, blocks, leaveFree), image);
  }

  final List<BlockRange> writeOut(ObjectName name, Demand demand, BufferRun image)
      throws IOException, ShortOfSpaceException {
    Allocation allocation = store.space().allocate(demand);
    if (allocation.verdict() != Allocation.Verdict.GRANTED) {
      throw new ShortOfSpaceException(allocation.verdict() == Allocation.Verdict.GROW);
    }
    int done = 0;
    for (BlockRange range : allocation.ranges()) {
      int bytes = range.blockCount() * BLOCK_BYTES;
      try {
        store.segments().write(range, image.slice(done, bytes));
        store.health().wrote();
      } catch (IOException e) {
        // The blocks stay out of use until the next start: the disk may be bad there.
        store.health().writeFailed("writing to segment " + range.segment() + " failed: " + e, e);
        throw new WeftException(
            ErrorCode.BAD_MEDIA, "the bytes of object " + name + " could not be written: " + e, e);
      }
      if (durable) {
        written.add(new Written(range, image.slice(done, bytes)));
      }
      done += bytes;
    }
    allocated.addAll(allocation.ranges());
    return allocation.ranges();
  }

  /**
   * For a change that is to be durable and has written little, the commit holds a copy of the
   * bytes. The change is durable when the tables are, with one sync in place of two. To be called
   * by a change that needs every block it has written.
   */
  final void keepCopies(Transaction transaction) {
    int blocks = 0;
    for (Written each : written) {
      blocks += each.range().blockCount();
    }
    if (!durable || blocks > MAX_COPIED_BLOCKS || transaction.copiedBytes() >= MAX_COPIED_BYTES) {
      return;
    }
    for (Written each : written) {
      byte[] copy = new byte[each.range().blockCount() * BLOCK_BYTES];
      new BufferRun(each.bytes()).copy(0, copy.length, ByteBuffer.wrap(copy));
      transaction.keepCopy(each.range(), copy);
    }
    copied = true;
  }

  /** The verified bytes of a stored block, or zeros where there is none. */
  final ByteBuffer oldBytes(ObjectName name, Extent extent, long block) throws WeftException {
    return StoredBlocks.read(store, name, extent, block);
  }

  /** These blocks were written for nothing: they go back after the commit. */
  final void notNeeded(BlockRange range) {
    unused.add(range);
  }

  final void nothingNeeded() {
    unused.clear();
    unused.addAll(allocated);
  }

  /**
   * Makes all bytes that were written so far durable, on this thread, those of earlier changes too.
   * It is for a change that must not lose its bytes, or those under it, if its commit stays.
   */
  final void forceAll() throws WeftException {
    try {
      store.segments().force();
    } catch (IOException e) {
      // After a failed sync it is unknown what is on the disk; a second one would claim success.
      store.health().fail("making changes durable failed: " + e, e);
      throw store.health().refusal("the change could not be made durable: " + e, e);
    }
  }

  @Override
  public final SortedSet<Integer> segments() {
    SortedSet<Integer> segments = new TreeSet<>();
    if (!copied) {
      allocated.forEach(range -> segments.add(range.segment()));
    }
    return segments;
  }

  @Override
  public final void committed() {
    unused.forEach(store.space()::free);
    inDoubt();
  }

  @Override
  public final void abandoned() {
    allocated.forEach(store.space()::free);
    inDoubt();
  }

  @Override
  public final void inDoubt() {
    if (pin != null) {
      pin.release();
    }
  }
}
