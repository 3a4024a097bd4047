package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.PassingException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.system.DirectoryLock;
import org.weft.protocol.system.DurableFolder;
import org.weft.protocol.system.OpenParts;

/**
 * RocksDB as a key-value store. Every batch is in the write-ahead log, and the log in the kernel,
 * before {@link #write} returns. The log is never off and never flushed by hand. Memory is about 48
 * MiB: two write buffers of 8, a block cache of 32 that also holds indexes and filters.
 *
 * <p>A RocksDB that met a full disk takes no writes until it is opened anew, and whether the last
 * batch was kept is open. So a batch is refused with {@link OutOfSpaceException}, harmlessly, while
 * the disk has less than {@value #MIN_FREE_BYTES} bytes left. From {@value #ROOM_BYTES} on it
 * {@linkplain #hasRoom says} that only what must be written should be. Urgent batches have a {@link
 * SpaceReserve} for themselves, which is given back to the disk for them.
 *
 * <p>What is damaged in the log RocksDB takes for its end. A {@link LogMark} says how far the log
 * reached. An opening that ends before {@linkplain #hasLostEnd says so}. One that ends before what
 * was durable is refused, before anything is changed.
 *
 * <p>Thread-safe. Calls after {@link #close} fail with an IOException; it waits for those under
 * way.
 */
public final class RocksKeyValueStore implements KeyValueStore {
  private static final Logger LOG = LoggerFactory.getLogger(RocksKeyValueStore.class);

  /** Below this much free space nothing is written: room for the write buffers. */
  static final long MIN_FREE_BYTES = 24L << 20;

  /** Below this much, what clients add is refused: the rest is for removals. */
  static final long ROOM_BYTES = 64L << 20;

  /** As the system says that the process or the machine has too little of something. */
  private static final List<String> WANTS =
      List.of("Too many open files", "Cannot allocate memory", "Resource temporarily unavailable");

  /** Below this much not even urgent batches are written. */
  static final long MIN_URGENT_BYTES = 8L << 20;

  private static final long WRITE_BUFFER_BYTES = 8L << 20;
  private static final int WRITE_BUFFERS = 2;
  private static final double MEMTABLE_BLOOM_SHARE = 0.05;
  private static final long BLOCK_CACHE_BYTES = 32L << 20;
  private static final long TABLE_FILE_BYTES = 16L << 20;
  private static final long LOG_BYTES = 32L << 20;
  private static final int OPEN_FILES = 128;
  private static final int BLOOM_BITS = 10;
  private static final String CURRENT_FILE = "CURRENT";
  private static final int WRITES_BETWEEN_SPACE_CHECKS = 64;

  // RocksDB's own lock lets in those that only read.
  private static final DirectoryLock.Use USE =
      new DirectoryLock.Use(
          "in-use", "is in use by another OSD or a check of its store", "stop that first");

  private final RocksDB db;
  // Null in a store that is only read.
  private final LogMark mark;
  // Null in a store that is only read.
  private final SpaceReserve reserve;
  private final OpenParts owned;
  private final WriteOptions unsynced = new WriteOptions().setSync(false);
  private final FileStore disk;
  private final AtomicInteger writes = new AtomicInteger();
  // One permit for each call under way: the native library does not survive a call after its end.
  private final Semaphore calls = new Semaphore(Integer.MAX_VALUE);
  private volatile boolean diskIsFull;
  private volatile boolean diskIsShort;
  private volatile boolean lostEnd;
  private volatile boolean closed;

  private RocksKeyValueStore(
      RocksDB db,
      LogMark mark,
      SpaceReserve reserve,
      boolean lostEnd,
      OpenParts owned,
      FileStore disk) {
    this.db = db;
    this.mark = mark;
    this.reserve = reserve;
    this.lostEnd = lostEnd;
    this.owned = owned;
    this.disk = disk;
  }

  /**
   * Opens the store in the folder, or makes one. UNAVAILABLE if it is open elsewhere, BAD_MEDIA if
   * what was durable is not there any more.
   */
  public static RocksKeyValueStore open(Path folder) throws IOException {
    return open(folder, false);
  }

  /** Opens a store that exists and that is open nowhere, and changes nothing. */
  public static RocksKeyValueStore openReadOnly(Path folder) throws IOException {
    return open(folder, true);
  }

  private static RocksKeyValueStore open(Path folder, boolean readOnly) throws IOException {
    RocksDB.loadLibrary();
    OpenParts owned = new OpenParts();
    try {
      DurableFolder.make(folder);
      owned.add(DirectoryLock.take(folder, USE));
      return readOnly ? opened(folder, owned) : opened(folder, reached(folder, owned), owned);
    } catch (RocksDBException e) {
      IOException failure =
          new IOException("RocksDB in " + folder + " cannot be opened: " + e.getMessage(), e);
      owned.closeAfter(failure);
      throw failure;
    } catch (IOException | RuntimeException | Error e) {
      owned.closeAfter(e);
      throw e;
    }
  }

  private static RocksKeyValueStore opened(Path folder, OpenParts owned)
      throws RocksDBException, IOException {
    RocksDB db = RocksDB.openReadOnly(options(owned), folder.toString());
    boolean opened = false;
    try {
      long written = LogMark.read(folder).orElse(LogMark.Reach.NOTHING).written();
      boolean lostEnd = db.getLatestSequenceNumber() < written;
      RocksKeyValueStore store =
          new RocksKeyValueStore(db, null, null, lostEnd, owned, Files.getFileStore(folder));
      opened = true;
      return store;
    } finally {
      if (!opened) {
        db.close();
      }
    }
  }

  private static RocksKeyValueStore opened(Path folder, LogMark.Reach reached, OpenParts owned)
      throws RocksDBException, IOException {
    RocksDB db = RocksDB.open(options(owned), folder.toString());
    LogMark mark = null;
    boolean opened = false;
    try {
      boolean lostEnd = db.getLatestSequenceNumber() < reached.written();
      long written = lostEnd ? LogMark.LOST : reached.written();
      mark = LogMark.begin(folder, new LogMark.Reach(written, reached.synced()));
      SpaceReserve reserve = SpaceReserve.in(folder);
      RocksKeyValueStore store =
          new RocksKeyValueStore(db, mark, reserve, lostEnd, owned, Files.getFileStore(folder));
      store.takeReserve();
      opened = true;
      return store;
    } finally {
      if (!opened) {
        db.close();
        if (mark != null) {
          mark.close();
        }
      }
    }
  }

  /**
   * How far the store in the folder reaches, without changing anything there: what a transient
   * fault of the disk hides may be found another time.
   */
  private static LogMark.Reach reached(Path folder, OpenParts owned)
      throws RocksDBException, IOException {
    if (!Files.exists(folder.resolve(CURRENT_FILE))) {
      return LogMark.Reach.NOTHING;
    }
    Optional<LogMark.Reach> noted = LogMark.read(folder);
    if (noted.isPresent() && LogScan.lastNumber(folder) >= noted.get().written()) {
      // Nothing is missing: RocksDB need not build its tables from the log only to count.
      return noted.get();
    }
    if (noted.isEmpty()) {
      // An operator has taken it away to have what is left, or it is damaged itself.
      return new LogMark.Reach(LogMark.LOST, 0);
    }
    long found;
    try (RocksDB db = RocksDB.openReadOnly(options(owned), folder.toString())) {
      found = db.getLatestSequenceNumber();
    }
    if (found < noted.get().synced()) {
      throw new WeftException(
          ErrorCode.BAD_MEDIA,
          "the log of the tables in "
              + folder
              + " is damaged: it ends at change "
              + found
              + ", and change "
              + noted.get().synced()
              + " had been made durable. What this OSD holds is older than what it promised to"
              + " keep; nothing was changed. Look at the disk and try again. If it stays so, leave"
              + " this OSD down, or give it an empty data directory. Only if files need what is"
              + " left here because others are lost, too, remove "
              + LogMark.fileIn(folder)
              + ": then it starts with that, and some files may show older bytes");
    }
    return noted.get();
  }

  private static Options options(OpenParts owned) {
    LRUCache cache = new LRUCache(BLOCK_CACHE_BYTES, 2);
    BloomFilter bloom = new BloomFilter(BLOOM_BITS, false);
    owned.add(cache);
    owned.add(bloom);
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setFilterPolicy(bloom)
            .setCacheIndexAndFilterBlocks(true)
            .setPinL0FilterAndIndexBlocksInCache(true);
    Options options =
        new Options()
            .setCreateIfMissing(true)
            .setWriteBufferSize(WRITE_BUFFER_BYTES)
            .setMaxWriteBufferNumber(WRITE_BUFFERS)
            .setMemtablePrefixBloomSizeRatio(MEMTABLE_BLOOM_SHARE)
            .setMemtableWholeKeyFiltering(true)
            .setTargetFileSizeBase(TABLE_FILE_BYTES)
            .setMaxTotalWalSize(LOG_BYTES)
            .setMaxOpenFiles(OPEN_FILES)
            .setCompressionType(CompressionType.LZ4_COMPRESSION)
            .setTableFormatConfig(table)
            .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
            .setParanoidChecks(true)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setKeepLogFileNum(2)
            .setStatsDumpPeriodSec(0);
    owned.add(options);
    return options;
  }

  @Override
  public byte[] get(byte[] key) throws IOException {
    enter();
    try {
      return db.get(key);
    } catch (RocksDBException e) {
      throw failure("reading", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public void write(Batch batch, boolean sync) throws IOException {
    enter();
    try (WriteBatch writeBatch = new WriteBatch(BatchBytes.of(batch))) {
      requireSpace(batch.isUrgent());
      db.write(unsynced, writeBatch);
      long written = db.getLatestSequenceNumber();
      mark.written(written);
      if (sync) {
        // Not in one with the write: RocksDB lets every other write wait for that.
        db.syncWal();
        mark.synced(written);
      }
    } catch (RocksDBException e) {
      throw failure("writing", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public long lastChange() {
    if (closed || !calls.tryAcquire()) {
      return 0;
    }
    try {
      return db.getLatestSequenceNumber();
    } finally {
      calls.release();
    }
  }

  @Override
  public boolean hasLostEnd() {
    return lostEnd;
  }

  @Override
  public void forgetLostEnd() throws IOException {
    enter();
    try {
      db.syncWal();
      long now = db.getLatestSequenceNumber();
      mark.restart(new LogMark.Reach(now, now));
      lostEnd = false;
    } catch (RocksDBException e) {
      throw failure("syncing", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public boolean hasRoom() {
    if (diskIsShort) {
      try {
        var unused = freeBytes();
      } catch (IOException e) {
        // The next writer will be told.
        return false;
      }
    }
    return !diskIsShort;
  }

  @Override
  public boolean takesAll() {
    if (diskIsFull) {
      try {
        var unused = freeBytes();
      } catch (IOException e) {
        // The next writer will be told.
        return false;
      }
    }
    return !diskIsFull;
  }

  /** What the reserve has given up counts as used until it is there again. */
  private long freeBytes() throws IOException {
    long free = disk.getUsableSpace();
    long lent = reserve != null && reserve.isLent() ? SpaceReserve.BYTES : 0;
    diskIsShort = free < ROOM_BYTES + lent;
    diskIsFull = free < MIN_FREE_BYTES + lent;
    return free;
  }

  /**
   * Takes the reserve if the disk has space for it again. Takes its time: only for threads that may
   * wait. Without it nothing fails that would not fail otherwise.
   */
  private void takeReserve() {
    if (reserve == null || reserve.isHeld()) {
      return;
    }
    try {
      if (disk.getUsableSpace() >= ROOM_BYTES + SpaceReserve.BYTES) {
        reserve.take();
      }
    } catch (IOException e) {
      LOG.warn("what is kept on a full disk cannot be taken; trying again at a checkpoint", e);
    }
  }

  private void requireSpace(boolean urgent) throws IOException {
    if (diskIsFull || writes.getAndIncrement() % WRITES_BETWEEN_SPACE_CHECKS == 0) {
      long free = freeBytes();
      if (diskIsFull && urgent) {
        requireUrgentSpace(free);
      } else if (diskIsFull) {
        throw new OutOfSpaceException(
            "only "
                + free
                + " bytes are free on "
                + disk
                + ", at least "
                + MIN_FREE_BYTES
                + " are needed: free some on it");
      }
    }
  }

  private void requireUrgentSpace(long before) throws IOException {
    long free = before;
    if (free < MIN_FREE_BYTES && reserve != null && reserve.lend()) {
      free = disk.getUsableSpace();
    }
    if (free < MIN_URGENT_BYTES) {
      throw OutOfSpaceException.ofReserve(
          "only " + free + " bytes are free on " + disk + ", with what is kept for managers");
    }
  }

  @Override
  public void sync() throws IOException {
    enter();
    try {
      takeReserve();
      long before = db.getLatestSequenceNumber();
      db.syncWal();
      mark.synced(before);
    } catch (RocksDBException e) {
      throw failure("syncing", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public RocksCursor scan(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    enter();
    boolean opened = false;
    try {
      RocksCursor cursor = new RocksCursor(db, fromInclusive, toExclusive, calls::release);
      opened = true;
      return cursor;
    } finally {
      if (!opened) {
        calls.release();
      }
    }
  }

  @Override
  public byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    try (RocksCursor cursor = scan(fromInclusive, toExclusive)) {
      return cursor.last() ? cursor.key() : null;
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    calls.acquireUninterruptibly(Integer.MAX_VALUE);
    db.close();
    unsynced.close();
    if (mark != null) {
      owned.add(mark);
    }
    owned.close();
  }

  private void enter() throws IOException {
    if (closed || !calls.tryAcquire()) {
      throw new PassingException("the key-value store is closed", null);
    }
  }

  static IOException failure(String doing, RocksDBException e) {
    String text = doing + " failed in RocksDB: " + e.getMessage();
    return mayPass(e) ? new PassingException(text, e) : new IOException(text, e);
  }

  /** What is damaged says Corruption, or an error of the disk: either may last for good. */
  private static boolean mayPass(RocksDBException e) {
    if (e.getStatus() == null) {
      return false;
    }
    return switch (e.getStatus().getCode()) {
      case Busy, TimedOut, TryAgain, Aborted, Incomplete -> true;
      case IOError -> WANTS.stream().anyMatch(String.valueOf(e.getMessage())::contains);
      default -> false;
    };
  }
}
