package org.weft.osd.store.engine.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.SegmentCodec;
import org.weft.osd.store.format.SegmentEntry;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.BlockSpace;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * The segment files: their IO by block, what of them is not synced, and how they grow. Thread-safe;
 * no lock is held over IO. A file grows on the space executor, one at a time, by as much as there
 * already is, up to the step in the options.
 */
public final class Segments {
  private static final Logger LOG = LoggerFactory.getLogger(Segments.class);
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;
  private static final long FIRST_GROWTH_BYTES = 8L << 20;

  /** The disk is asked before each piece: other OSDs, and others, may grow on it, too. */
  private static final long GROWTH_PIECE_BYTES = 8L << 20;

  /** What no segment takes: the tables must be able to say what is removed, and grow with it. */
  private static final long LEFT_FOR_TABLES_BYTES = 96L << 20;

  private static final String UNSYNCED_PREFIX = "unsynced-";

  private final SegmentDirectory directory;
  private final KeyValueStore store;
  private final StoreOptions options;
  private final BlockSpace space;
  private final Executor growing;
  private final DoubtfulBlocks doubts = new DoubtfulBlocks();
  // Indexed by segment number; replaced as a whole, so that readers need no lock.
  private volatile Segment[] segments;
  private CompletableFuture<Void> growth;

  /** A segment file that is open. */
  private static final class Segment {
    private final SegmentFile file;
    private volatile SegmentEntry entry;
    private volatile boolean dirty;
    private volatile boolean syncing;

    // Guarded by the segment.
    private IOException broken;

    Segment(SegmentEntry entry, SegmentFile file) {
      this.entry = entry;
      this.file = file;
    }
  }

  private Segments(
      SegmentDirectory directory,
      KeyValueStore store,
      StoreOptions options,
      BlockSpace space,
      Executor growing,
      Segment[] segments) {
    this.directory = directory;
    this.store = store;
    this.options = options;
    this.space = space;
    this.growing = growing;
    this.segments = segments;
  }

  /** Opens the files of these entries, which are numbered from 0, and makes their blocks known. */
  public static Segments open(
      SegmentDirectory directory,
      KeyValueStore store,
      StoreOptions options,
      Executor growing,
      List<SegmentEntry> entries)
      throws IOException {
    Segment[] opened = new Segment[entries.size()];
    long grown = 0;
    for (SegmentEntry entry : entries) {
      SegmentFile file = directory.open(entry.name());
      long bytes = (long) entry.grownBlocks() * BLOCK_BYTES;
      if (file.sizeBytes() < bytes) {
        // A power loss took the end, and what was written there with it.
        file.resize(bytes);
      }
      opened[entry.segment()] = new Segment(entry, file);
      // Whatever a process before this one left in the page cache.
      opened[entry.segment()].dirty = true;
      grown += entry.grownBlocks();
    }
    BlockSpace space = new BlockSpace(Math.max(options.capacityBytes() / BLOCK_BYTES, grown));
    for (SegmentEntry entry : entries) {
      space.grow(entry.segment(), entry.grownBlocks());
    }
    return new Segments(directory, store, options, space, growing, opened);
  }

  /** Which blocks are free. */
  public BlockSpace space() {
    return space;
  }

  /** Which blocks are better not left to the transport to read. */
  public DoubtfulBlocks doubts() {
    return doubts;
  }

  /** Writes all of the buffers to the range, in one call. */
  public void write(BlockRange range, List<ByteBuffer> sources) throws IOException {
    Segment segment = segments[range.segment()];
    segment.file.write(sources.toArray(new ByteBuffer[0]), (long) range.firstBlock() * BLOCK_BYTES);
    segment.dirty = true;
    doubts.forget(range);
  }

  /** Reads one block. */
  public ByteBuffer readBlock(int segment, int block) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
    segments[segment].file.read(bytes, (long) block * BLOCK_BYTES);
    doubts.forget(new BlockRange(segment, block, 1));
    return bytes.flip();
  }

  /** True if reading may take its time: not on a thread that must not wait. */
  public boolean keepsWaiting() {
    return directory.keepsWaiting();
  }

  /** Fills the buffer, which has the range's length, with what the medium holds there. */
  public void readFromMedium(BlockRange range, ByteBuffer target) throws IOException {
    segments[range.segment()].file.readFromMedium(target, (long) range.firstBlock() * BLOCK_BYTES);
  }

  /** The range as a payload that reads it when it is sent. */
  public Payload payload(BlockRange range) {
    return segments[range.segment()].file.payload(
        (long) range.firstBlock() * BLOCK_BYTES,
        Math.multiplyExact(range.blockCount(), BLOCK_BYTES),
        () -> {});
  }

  /**
   * Segments of which a sync failed, in this process or in one before it, and that were not written
   * anew since. The kernel may have dropped what it could not write, keeps showing it while it is
   * in its cache, and tells of the failure once. A later sync that succeeds says nothing.
   */
  public SortedSet<Integer> unsynced() throws IOException {
    SortedSet<Integer> unsynced = new TreeSet<>();
    for (String name : directory.list()) {
      if (name.startsWith(UNSYNCED_PREFIX)) {
        unsynced.add(Integer.parseInt(name.substring(UNSYNCED_PREFIX.length())));
      }
    }
    return unsynced;
  }

  /** All of them have been written anew, and synced. */
  public void forgetUnsynced() throws IOException {
    SortedSet<Integer> written = unsynced();
    for (int number : written) {
      directory.delete(unsyncedNameOf(number));
    }
    if (!written.isEmpty()) {
      directory.sync();
    }
  }

  private void noteUnsynced(Segment segment, IOException failure) {
    try (SegmentFile note = directory.create(unsyncedNameOf(segment.entry.segment()))) {
      note.sync();
      directory.sync();
    } catch (FileAlreadyExistsException e) {
      LOG.debug("{} is known to be unsynced already", segment.entry.name());
    } catch (IOException e) {
      LOG.error(
          "that {} could not be synced could not be noted: if this OSD is started again before the"
              + " machine is, it believes what may not be on the disk",
          segment.entry.name(),
          e);
      failure.addSuppressed(e);
    }
  }

  private static String unsyncedNameOf(int segment) {
    return String.format(java.util.Locale.ROOT, UNSYNCED_PREFIX + "%08d", segment);
  }

  /** Makes all that was written durable. */
  public void sync() throws IOException {
    for (Segment segment : segments) {
      sync(segment);
    }
  }

  /** Makes all that was written to these segments durable. */
  public void sync(Set<Integer> numbers) throws IOException {
    for (int number : numbers) {
      sync(segments[number]);
    }
  }

  /**
   * Makes all that was written before the call durable, beside the syncs of the checkpointer. What
   * is dirty stays so, for a checkpoint must not rest on a sync that is under way here.
   */
  public void force() throws IOException {
    for (Segment segment : segments) {
      // In this order: a sync that begins after the first look is seen by the second.
      if (segment.dirty || segment.syncing) {
        syncFile(segment);
      }
    }
  }

  /**
   * One at a time, and none after one that failed. The kernel tells a descriptor of a lost write
   * once, and the next sync would hear that all is well.
   */
  private void syncFile(Segment segment) throws IOException {
    synchronized (segment) {
      if (segment.broken != null) {
        throw new IOException(
            "a sync of this segment failed before: " + segment.broken.getMessage(), segment.broken);
      }
      try {
        segment.file.sync();
      } catch (IOException e) {
        segment.broken = e;
        noteUnsynced(segment, e);
        throw e;
      }
    }
  }

  private void sync(Segment segment) throws IOException {
    if (segment.dirty) {
      segment.syncing = true;
      // Before the sync: what is written during it stays dirty.
      segment.dirty = false;
      try {
        syncFile(segment);
      } catch (IOException e) {
        segment.dirty = true;
        throw e;
      } finally {
        segment.syncing = false;
      }
    }
  }

  /** Grows by one step; fails with the IOException of the disk. Calls during a growth share it. */
  public CompletionStage<Void> grow() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    synchronized (this) {
      if (growth != null) {
        return growth;
      }
      growth = mine;
    }
    try {
      growing.execute(() -> growAndTell(mine));
    } catch (RejectedExecutionException e) {
      endGrowth(mine, new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed", e));
    } catch (OutOfMemoryError e) {
      endGrowth(
          mine,
          new WeftException(
              ErrorCode.OVERLOADED, "the system has no thread to grow the store; try later", e));
    }
    return mine;
  }

  private void growAndTell(CompletableFuture<Void> mine) {
    IOException failure = null;
    try {
      growNow();
      space.setStuck(false);
    } catch (IOException e) {
      space.setStuck(OutOfSpaceException.caused(e));
      failure = e;
    } catch (Throwable e) {
      failure = new IOException("the store is at fault: " + e, e);
    }
    endGrowth(mine, failure);
  }

  private void endGrowth(CompletableFuture<Void> mine, IOException failure) {
    synchronized (this) {
      growth = null;
    }
    if (failure == null) {
      mine.complete(null);
    } else {
      mine.completeExceptionally(failure);
    }
  }

  /** True if segments could not grow for want of space on the disk, and there is some now. */
  public boolean mayGrowAgain() {
    if (!space.isStuck()) {
      return false;
    }
    try {
      if (directory.usableBytes() - GROWTH_PIECE_BYTES < LEFT_FOR_TABLES_BYTES) {
        return false;
      }
    } catch (IOException e) {
      LOG.debug("the disk does not say how much it has left", e);
      return false;
    }
    space.setStuck(false);
    return true;
  }

  /** Grows ahead of need. */
  public boolean shouldGrow() {
    return space.shouldGrow(Math.min(stepBlocks(), options.growBytes() / BLOCK_BYTES) / 4);
  }

  private long stepBlocks() {
    long step = Math.max(FIRST_GROWTH_BYTES / BLOCK_BYTES, space.grownBlocks());
    return Math.min(step, options.growBytes() / BLOCK_BYTES);
  }

  private void growNow() throws IOException {
    long left = space.capacityBlocks() - space.grownBlocks();
    if (left <= 0) {
      return;
    }
    Segment last = segments.length == 0 ? null : segments[segments.length - 1];
    if (last == null || last.entry.grownBlocks() == last.entry.blockCount()) {
      last = newSegment(left);
    }
    SegmentEntry entry = last.entry;
    long step = Math.min(Math.min(stepBlocks(), left), entry.blockCount() - entry.grownBlocks());
    SegmentEntry grown = entry.grownTo(entry.grownBlocks() + grow(last, step));
    // Not synced: should a power loss take the end of the file, the next start gives it its size.
    write(grown);
    last.entry = grown;
    space.grow(grown.segment(), grown.grownBlocks());
  }

  /** Lengthens the file in pieces, as far as the disk has space; gives the blocks that it got. */
  private int grow(Segment segment, long wantedBlocks) throws IOException {
    int before = segment.entry.grownBlocks();
    long got = 0;
    while (got < wantedBlocks) {
      long piece = Math.min(wantedBlocks - got, GROWTH_PIECE_BYTES / BLOCK_BYTES);
      long usable = directory.usableBytes();
      if (usable - piece * BLOCK_BYTES < LEFT_FOR_TABLES_BYTES) {
        if (got > 0) {
          break;
        }
        throw new OutOfSpaceException(
            "only "
                + usable
                + " bytes are free on the disk, and "
                + LEFT_FOR_TABLES_BYTES
                + " are left to the tables");
      }
      segment.file.resize((before + got + piece) * BLOCK_BYTES);
      got += piece;
    }
    return (int) got;
  }

  private Segment newSegment(long leftBlocks) throws IOException {
    int number = segments.length;
    int blocks = (int) Math.min(options.segmentBytes() / BLOCK_BYTES, leftBlocks);
    SegmentEntry entry = new SegmentEntry(number, nameOf(number), blocks, 0);
    SegmentFile file;
    try {
      file = directory.create(entry.name());
    } catch (FileAlreadyExistsException e) {
      // A growth that failed behind this line.
      file = directory.open(entry.name());
    }
    directory.sync();
    write(entry);
    Segment segment = new Segment(entry, file);
    Segment[] more = Arrays.copyOf(segments, number + 1);
    more[number] = segment;
    segments = more;
    return segment;
  }

  private void write(SegmentEntry entry) throws IOException {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    batch.put(StoreKeys.segment(entry.segment()), SegmentCodec.encode(entry));
    store.write(batch, false);
  }

  /** Name of the file of a segment. */
  static String nameOf(int segment) {
    return String.format(java.util.Locale.ROOT, "segment-%08d", segment);
  }

  /** How many blocks each segment has now. */
  public SortedMap<Integer, Integer> grownBlocks() {
    SortedMap<Integer, Integer> grown = new TreeMap<>();
    for (Segment segment : segments) {
      grown.put(segment.entry.segment(), segment.entry.grownBlocks());
    }
    return grown;
  }

  /** Closes all files, whatever happens; throws the first failure. */
  public void close() throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (Segment segment : segments) {
      try {
        segment.file.close();
      } catch (IOException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
  }
}
