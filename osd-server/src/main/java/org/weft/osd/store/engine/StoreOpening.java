package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.StoreHistory;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.commit.Checkpointer;
import org.weft.osd.store.engine.recovery.BlockCopies;
import org.weft.osd.store.engine.recovery.CacheLife;
import org.weft.osd.store.engine.recovery.Entries;
import org.weft.osd.store.engine.recovery.PowerLossRecovery;
import org.weft.osd.store.engine.recovery.UnsyncedSegments;
import org.weft.osd.store.engine.state.AbsentObjects;
import org.weft.osd.store.engine.state.FailureNote;
import org.weft.osd.store.engine.state.Health;
import org.weft.osd.store.engine.state.ObjectCache;
import org.weft.osd.store.engine.state.PartitionTable;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.FormatException;
import org.weft.osd.store.format.FreeMapCodec;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.KnownStarts;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PartitionCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.SegmentCodec;
import org.weft.osd.store.format.SegmentEntry;
import org.weft.osd.store.format.StoreHeader;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.BlockSpace;
import org.weft.osd.store.space.Pins;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * Opens a store. After a stop that was not orderly, everything that the process before wrote is
 * made durable first. So nothing which is promised rests on a page cache that a second crash could
 * take. After a power loss {@link PowerLossRecovery} runs before. Only then is the start noted in
 * the header: an opening that is cut off is simply done again. Single-threaded.
 */
final class StoreOpening {
  private static final Logger LOG = LoggerFactory.getLogger(StoreOpening.class);
  private static final int IDENTITY_BYTES = 16;

  private static final String SEGMENT_PREFIX = "segment-";

  private final StoreOptions options;
  private final KeyValueStore values;
  private final SegmentDirectory directory;
  private final Scheduler scheduler;
  private final RandomGenerator random;
  private final String bootId;
  private final AtomicLong handles = new AtomicLong(1);
  private final AtomicLong objects = new AtomicLong();
  private final AtomicLong storedBlocks = new AtomicLong();
  private final List<Long> doomed = new ArrayList<>();
  private Segments segments;
  private Scheduler.OwnedExecutor spaceExecutor;

  StoreOpening(
      StoreOptions options,
      KeyValueStore values,
      SegmentDirectory directory,
      Scheduler scheduler,
      RandomGenerator random,
      String bootId) {
    this.options = options;
    this.values = values;
    this.directory = directory;
    this.scheduler = scheduler;
    this.random = random;
    this.bootId = bootId;
  }

  OsdfsStore open() throws WeftException {
    OsdfsStore opened = null;
    try {
      opened = read();
      return opened;
    } catch (WeftException e) {
      throw e;
    } catch (FormatException e) {
      throw new WeftException(
          ErrorCode.BAD_MEDIA, "the object store cannot be opened: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new WeftException(
          OutOfSpaceException.caused(e) ? ErrorCode.NO_SPACE : ErrorCode.BAD_MEDIA,
          "the object store cannot be opened: " + e,
          e);
    } finally {
      if (opened == null) {
        giveUp();
      }
    }
  }

  private OsdfsStore read() throws IOException {
    StoreHeader header = header();
    long foundChange = values.lastChange();
    spaceExecutor = scheduler.newSerialExecutor("osd-space-" + header.identity().substring(0, 8));
    segments = Segments.open(directory, values, options, spaceExecutor, entries());
    CacheLife before = CacheLife.parse(header.bootId());
    CacheLife now = CacheLife.parse(bootId);
    boolean cacheLost = !before.lastsIn(now);
    long checkpoint = checkpoint();
    long startId = startId();
    KnownStarts known = KnownStarts.decode(values.get(StoreKeys.starts()));
    KnownStarts starts = known.started(startId, checkpoint, foundChange);
    // What cannot be told counts as another life: it is asked to wait, and no more.
    boolean oneLife = (header.oneLife() || known.starts().size() <= 1) && before.equals(now);
    FailureNote failure = new FailureNote(directory);
    boolean failed = failure.isThere();
    boolean endLost = values.hasLostEnd();
    boolean lost = failed || endLost;
    if (failed) {
      LOG.warn(
          "the store had failed before this start: it joins as one that may lack writes, and serves"
              + " clients once managers have compared what it holds");
    }
    if (endLost && !cacheLost) {
      LOG.warn(
          "the log of the store's tables is damaged, and what was committed last is lost: it joins"
              + " as one that may lack writes; look at the disk");
    }
    if (!header.clean() || lost) {
      LOG.warn(
          "the store was not stopped in an orderly way{}",
          cacheLost ? ", and " + how(before, now) : "");
      // Before anything else is written: what was found is what the next opening tells if this one
      // dies.
      noteFound(starts);
      new BlockCopies(values, segments).writeBack();
      lost |= recover(checkpoint, cacheLost || lost);
      // Above every number that was promised, or is noted in a pending list.
      checkpoint += Checkpointer.FURTHEST_PROMISE + 1;
      settle(checkpoint);
    }
    loadFreeMap(header, header.clean() && !lost);
    PartitionTable partitions = loadPartitions();
    loadDoomed();
    StoreHeader started = header.started(bootId, header.suspect() || lost, oneLife);
    noteStart(started, starts);
    // The header has it now, until SysMgr has it.
    segments.forgetUnsynced();
    if (failed) {
      failure.remove();
    }
    if (endLost) {
      values.forgetLostEnd();
    }
    BlockSpace space = segments.space();
    StoreState store =
        new StoreState(
            values,
            segments,
            space,
            new Pins(space::free),
            partitions,
            new Health(failure),
            options.reserveBytes() / HeaderCodec.BLOCK_BYTES,
            options.windowBytes() / HeaderCodec.BLOCK_BYTES,
            new ObjectCache(options.objectCacheBytes()),
            new AbsentObjects(values),
            handles,
            objects,
            storedBlocks,
            givenBack());
    OsdfsStore opened =
        new OsdfsStore(
            store,
            options,
            started,
            new StoreHistory(
                startId, starts.starts(), starts.checkpoint(), starts.change(), oneLife),
            checkpoint,
            scheduler,
            spaceExecutor);
    opened.resumeReaping(doomed);
    return opened;
  }

  private static String how(CacheLife before, CacheLife now) {
    if (!before.bootId().equals(now.bootId())) {
      return "the machine has booted since";
    }
    return before.isSameFolder(now)
        ? "its file system has been mounted anew since"
        : "this is a copy of its folder";
  }

  /**
   * @param suspect there is reason to look, whatever segments were synced
   * @return true if writes may be lost that were acknowledged
   */
  private boolean recover(long checkpoint, boolean suspect) throws IOException {
    SortedSet<Integer> unsynced = segments.unsynced();
    if (!suspect && unsynced.isEmpty()) {
      return false;
    }
    PowerLossRecovery recovery = new PowerLossRecovery(values, segments, checkpoint);
    recovery.run();
    boolean whole =
        unsynced.isEmpty() || new UnsyncedSegments(values, segments, unsynced).writeAnew();
    return suspect || recovery.hasFoundLosses() || !whole;
  }

  private StoreHeader header() throws IOException {
    byte[] value = values.get(StoreKeys.header());
    if (value == null) {
      return format();
    }
    if (!HeaderCodec.isReadable(HeaderCodec.formatVersion(value))) {
      throw new WeftException(
          ErrorCode.VERSION_MISMATCH,
          "the object store has format version "
              + HeaderCodec.formatVersion(value)
              + ", "
              + HeaderCodec.READABLE);
    }
    StoreHeader header = HeaderCodec.decode(value);
    if (HeaderCodec.formatVersion(value) < HeaderCodec.FORMAT_VERSION) {
      // Before anything is written in a layout that the release before does not know.
      keep(header);
    }
    return header;
  }

  private void keep(StoreHeader header) throws IOException {
    values.write(
        new KeyValueStore.Batch().urgent().put(StoreKeys.header(), HeaderCodec.encode(header)),
        true);
  }

  private StoreHeader format() throws IOException {
    try (KeyValueStore.Cursor cursor = values.scan(new byte[0], new byte[] {(byte) 0xff})) {
      if (cursor.next()) {
        throw new FormatException("its tables have no header");
      }
    }
    for (String name : directory.list()) {
      if (name.startsWith(SEGMENT_PREFIX)) {
        throw new FormatException(
            "its tables are empty, but there is a file "
                + name
                + "; if its bytes are not needed, empty the data directory");
      }
    }
    byte[] identity = new byte[IDENTITY_BYTES];
    random.nextBytes(identity);
    StoreHeader fresh =
        new StoreHeader(
            HexFormat.of().formatHex(identity),
            Optional.empty(),
            Optional.empty(),
            0,
            bootId,
            true,
            false,
            true,
            false,
            0,
            1);
    keep(fresh);
    return fresh;
  }

  private long checkpoint() throws IOException {
    byte[] value = values.get(StoreKeys.checkpoint());
    return value == null ? 0 : NumberCodec.decode(value);
  }

  private List<SegmentEntry> entries() throws IOException {
    List<SegmentEntry> entries = new ArrayList<>();
    Entries.ofKind(
        values,
        StoreKeys.SEGMENT,
        (key, value) -> {
          SegmentEntry entry = SegmentCodec.decode(StoreKeys.segmentOf(key), value);
          if (entry.segment() != entries.size()) {
            throw new FormatException("segment " + entries.size() + " is missing in its tables");
          }
          entries.add(entry);
        });
    List<String> known = entries.stream().map(SegmentEntry::name).toList();
    for (String name : directory.list()) {
      if (name.startsWith(SEGMENT_PREFIX) && !known.contains(name)) {
        // Made just before a crash: no extent can lie in it.
        LOG.warn("deleting file {}, which the store's tables do not know", name);
        directory.delete(name);
      }
    }
    return entries;
  }

  /**
   * Makes durable what the process before left in caches, and forgets what was overwritten and what
   * was kept twice.
   */
  private void settle(long checkpoint) throws IOException {
    segments.sync();
    KeyValueStore.Batch batch = new KeyValueStore.Batch().urgent();
    Entries.ofKind(values, StoreKeys.REPLACED, (key, value) -> batch.remove(key));
    Entries.ofKind(values, StoreKeys.BLOCK_COPY, (key, value) -> batch.remove(key));
    batch.put(StoreKeys.checkpoint(), NumberCodec.encode(checkpoint));
    values.write(batch, true);
  }

  private void loadFreeMap(StoreHeader header, boolean orderly) throws IOException {
    SortedMap<Integer, Integer> grown = segments.grownBlocks();
    List<BlockRange> used = new ArrayList<>();
    int[] maps = {0};
    Entries.ofKind(
        values,
        StoreKeys.FREE_MAP,
        (key, value) -> {
          maps[0]++;
          addRanges(StoreKeys.segmentOf(key), FreeMapCodec.decode(value), used);
        });
    if (!orderly || maps[0] != grown.size()) {
      countExtents();
      countPending();
      countObjects();
      return;
    }
    for (BlockRange range : used) {
      markUsed(range);
    }
    objects.set(header.objects());
    handles.set(header.nextHandle());
  }

  private static void addRanges(int segment, BitSet bits, List<BlockRange> ranges) {
    for (int start = bits.nextSetBit(0); start >= 0; ) {
      int end = bits.nextClearBit(start);
      ranges.add(new BlockRange(segment, start, end - start));
      start = bits.nextSetBit(end);
    }
  }

  private void countExtents() throws IOException {
    Entries.ofKind(
        values,
        StoreKeys.EXTENTS,
        (key, value) -> {
          for (Extent extent :
              ExtentPageCodec.decode(StoreKeys.numberAt(key, 1), value).extents()) {
            markUsed(new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()));
          }
        });
  }

  /** What pending writes keep is in use, too. */
  private void countPending() throws IOException {
    Entries.ofKind(
        values,
        StoreKeys.PENDING,
        (key, value) -> {
          for (PendingRecord record : PendingCodec.decode(value).records()) {
            for (Extent extent : record.kept()) {
              markUsed(
                  new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()));
            }
          }
        });
  }

  private void markUsed(BlockRange range) throws FormatException {
    if (!segments.space().markUsed(range)) {
      throw new FormatException(
          "blocks "
              + range.firstBlock()
              + " to "
              + range.endBlock()
              + " of segment "
              + range.segment()
              + " are used twice or lie outside; run 'weft osd check'");
    }
    storedBlocks.addAndGet(range.blockCount());
  }

  private void countObjects() throws IOException {
    Entries.ofKind(
        values,
        StoreKeys.OBJECT,
        (key, value) -> {
          objects.incrementAndGet();
          beyond(ObjectRecordCodec.decode(value).handle());
        });
    Entries.ofKind(values, StoreKeys.DOOMED, (key, value) -> beyond(StoreKeys.numberAt(key, 0)));
  }

  private void beyond(long handle) {
    handles.set(Math.max(handles.get(), handle + 1));
  }

  private PartitionTable loadPartitions() throws IOException {
    PartitionTable table = new PartitionTable();
    Entries.ofKind(
        values,
        StoreKeys.PARTITION,
        (key, value) ->
            table.put(PartitionCodec.decode(new PartitionId(StoreKeys.numberAt(key, 0)), value)));
    return table;
  }

  private Set<Long> givenBack() throws IOException {
    Set<Long> handles = new HashSet<>();
    Entries.ofKind(
        values, StoreKeys.GIVEN_BACK, (key, value) -> handles.add(StoreKeys.numberAt(key, 0)));
    return Set.copyOf(handles);
  }

  private void loadDoomed() throws IOException {
    Entries.ofKind(
        values, StoreKeys.DOOMED, (key, value) -> doomed.add(StoreKeys.numberAt(key, 0)));
  }

  /** Never 0. */
  private long startId() {
    long drawn = random.nextLong();
    return drawn == 0 ? 1 : drawn;
  }

  private void noteFound(KnownStarts starts) throws IOException {
    KeyValueStore.Batch batch = new KeyValueStore.Batch().urgent();
    batch.put(StoreKeys.starts(), starts.encode());
    values.write(batch, true);
  }

  private void noteStart(StoreHeader started, KnownStarts starts) throws IOException {
    KeyValueStore.Batch batch = new KeyValueStore.Batch().urgent();
    Entries.ofKind(values, StoreKeys.FREE_MAP, (key, value) -> batch.remove(key));
    batch.put(StoreKeys.header(), HeaderCodec.encode(started));
    batch.put(StoreKeys.starts(), starts.encode());
    values.write(batch, true);
  }

  private void giveUp() {
    try {
      if (spaceExecutor != null) {
        spaceExecutor.close();
      }
      if (segments != null) {
        segments.close();
      }
      values.close();
    } catch (IOException e) {
      LOG.warn("closing a store that could not be opened failed", e);
    }
  }
}
