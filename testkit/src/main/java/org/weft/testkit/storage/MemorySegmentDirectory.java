package org.weft.testkit.storage;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * A folder of files in memory. Fault model: the death of the process loses nothing ({@link
 * #afterProcessDeath}). A power loss ({@link #afterPowerLoss}) leaves each block of 4 KiB in one of
 * three states. It is as at its file's last sync, or as any write since left it, or torn between
 * two of those at 512 bytes. A file has its old size or its new one. Files made, removed or renamed
 * since the folder's last sync are as before, or as now. The disk is full beyond {@link
 * #limitBytes}. Operations fail where the {@link StorageFaults} say, and one that fails has changed
 * nothing, except a sync. What that sync was to make durable can still be read, and no later sync
 * makes it durable unless it is written again. Bits rot, and blocks become unreadable, on request.
 * Thread-safe.
 */
public final class MemorySegmentDirectory implements SegmentDirectory {
  /** What a loss of power keeps or loses, whole or in sectors. */
  public static final int BLOCK_BYTES = 4096;

  private final StorageFaults faults;
  private final SortedMap<String, MemorySegmentFile> files = new TreeMap<>();
  private final SortedMap<String, MemorySegmentFile> durable = new TreeMap<>();
  private long leftBytes = Long.MAX_VALUE;

  public MemorySegmentDirectory(StorageFaults faults) {
    this.faults = faults;
  }

  /** From now on files can grow by so many bytes in all, and by what is cut off others. */
  public synchronized void limitBytes(long bytes) {
    leftBytes = bytes;
  }

  synchronized void take(long bytes) throws IOException {
    if (bytes > leftBytes) {
      throw new IOException("No space left on device");
    }
    boolean unlimited = leftBytes == Long.MAX_VALUE;
    leftBytes = unlimited ? leftBytes : leftBytes - bytes;
  }

  @Override
  public synchronized SegmentFile open(String name) throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_CHANGE, name);
    return file(name);
  }

  @Override
  public synchronized SegmentFile create(String name) throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_CHANGE, name);
    if (files.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    MemorySegmentFile file = new MemorySegmentFile(this, name, faults);
    files.put(name, file);
    return file;
  }

  @Override
  public synchronized List<String> list() throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_CHANGE, "");
    return new ArrayList<>(files.keySet());
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_CHANGE, name);
    file(name);
    files.remove(name);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_CHANGE, from);
    MemorySegmentFile file = file(from);
    files.remove(from);
    files.put(to, file);
  }

  @Override
  public synchronized void sync() throws IOException {
    faults.next(StorageFaults.Kind.FOLDER_SYNC, "");
    durable.clear();
    durable.putAll(files);
  }

  /** What a process that starts after this one died finds. */
  public synchronized MemorySegmentDirectory afterProcessDeath(StorageFaults next) {
    MemorySegmentDirectory survivor = new MemorySegmentDirectory(next);
    survivor.leftBytes = leftBytes;
    files.forEach((name, file) -> survivor.files.put(name, file.survivor(survivor, next)));
    // A file that only a lost folder entry leads to stays lost.
    durable.forEach(
        (name, file) -> {
          if (files.get(name) == file) {
            survivor.durable.put(name, survivor.files.get(name));
          }
        });
    return survivor;
  }

  /** A copy of what a process sees now; this one goes on. */
  public synchronized MemorySegmentDirectory copy(StorageFaults next) {
    MemorySegmentDirectory copy = new MemorySegmentDirectory(next);
    files.forEach((name, file) -> copy.files.put(name, file.survivor(copy, next)));
    copy.durable.putAll(copy.files);
    return copy;
  }

  /** What a process finds after the machine lost power and came back. */
  public synchronized MemorySegmentDirectory afterPowerLoss(
      StorageFaults next, RandomGenerator random) {
    MemorySegmentDirectory survivor = new MemorySegmentDirectory(next);
    survivor.leftBytes = leftBytes;
    SortedMap<String, MemorySegmentFile> kept = new TreeMap<>(durable);
    if (random.nextBoolean()) {
      kept.clear();
      kept.putAll(files);
    }
    kept.forEach(
        (name, file) -> {
          MemorySegmentFile remains = file.remains(survivor, next, random);
          survivor.files.put(name, remains);
          survivor.durable.put(name, remains);
        });
    return survivor;
  }

  /** Flips a bit of the byte at the offset, for good. */
  public synchronized void rot(String name, long offsetBytes) throws IOException {
    file(name).rot(offsetBytes);
  }

  /** Reads of the block at the offset fail from now on, until it is written. */
  public synchronized void makeUnreadable(String name, long offsetBytes) throws IOException {
    file(name).makeUnreadable(offsetBytes);
  }

  /** Numbers of the blocks of a file that were ever written; empty if there is no such file. */
  public synchronized List<Long> storedBlocks(String name) {
    MemorySegmentFile file = files.get(name);
    return file == null ? List.of() : file.storedBlocks();
  }

  /**
   * Numbers of a file's blocks that do not hold what was last written to them, since it was not
   * synced before a power loss. Empty if there is no such file.
   */
  public synchronized Set<Long> lostBlocks(String name) {
    MemorySegmentFile file = files.get(name);
    return file == null ? Set.of() : file.lostBlocks();
  }

  /** All bytes of a file as they are now. */
  public synchronized byte[] contents(String name) throws IOException {
    return file(name).contents();
  }

  private MemorySegmentFile file(String name) throws IOException {
    MemorySegmentFile file = files.get(name);
    if (file == null) {
      throw new NoSuchFileException(name);
    }
    return file;
  }
}
