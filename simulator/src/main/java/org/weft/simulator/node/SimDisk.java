package org.weft.simulator.node;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.weft.metadata.DataFolders;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/**
 * The disk of a machine. A process that starts gets what the former one left. Objects of the former
 * process cannot be used from then on.
 */
final class SimDisk {
  private static final long ROOM_BYTES = 1L << 50;

  private final SplittableRandom random;
  private StorageFaults faults;
  private MemoryKeyValueStore tables;
  private MemorySegmentDirectory segments;
  private MemoryKeyValueStore copiedTables;
  private MemorySegmentDirectory copiedSegments;
  private TreeMap<String, MemorySegmentDirectory> folders = new TreeMap<>();
  private int failPerMille;
  private boolean failsWrites;
  private boolean failsFolders;
  private boolean full;
  private long urgentLeft = Long.MAX_VALUE;
  private long killAt = Long.MAX_VALUE;
  private Runnable killer = () -> {};

  SimDisk(SplittableRandom random) {
    this.random = random;
    lose();
  }

  private StorageFaults freshFaults() {
    StorageFaults fresh = new StorageFaults();
    fresh.failWhere(this::fails, "input/output error");
    killAt = Long.MAX_VALUE;
    faults = fresh;
    return fresh;
  }

  private boolean fails(StorageFaults.Operation next) {
    if (next.number() >= killAt) {
      killer.run();
      return true;
    }
    if (failsWrites && isWrite(next)) {
      return true;
    }
    return failPerMille > 0
        && switch (next.kind()) {
          case KEY_READ, FILE_READ -> false;
          default -> random.nextInt(1_000) < failPerMille;
        };
  }

  /** An empty file that was made is as good as its folder. */
  private boolean isWrite(StorageFaults.Operation next) {
    return switch (next.kind()) {
      case KEY_READ, FILE_READ -> false;
      case KEY_WRITE, KEY_SYNC, FILE_WRITE, FILE_RESIZE -> true;
      case FILE_SYNC -> failsFolders || next.target().startsWith("segment");
      case FOLDER_CHANGE, FOLDER_SYNC -> failsFolders;
    };
  }

  /** The process is killed before that operation from now on, counted from 1. */
  void killAt(int count, Runnable kill) {
    killAt = faults.operations() + count;
    killer = kill;
  }

  /** An empty disk. */
  void lose() {
    StorageFaults fresh = freshFaults();
    tables = new MemoryKeyValueStore(fresh);
    segments = new MemorySegmentDirectory(fresh);
    folders = new TreeMap<>();
    full(full);
  }

  /** Keeps what an OSD has on the disk now. */
  void copy() {
    copiedTables = tables.copy(new StorageFaults());
    copiedSegments = segments.copy(new StorageFaults());
  }

  /** The disk is as it was when it was copied. */
  void restore() {
    StorageFaults fresh = freshFaults();
    tables = copiedTables.copy(fresh);
    segments = copiedSegments.copy(fresh);
    full(full);
  }

  void processDied() {
    StorageFaults next = freshFaults();
    tables = tables.afterProcessDeath(next);
    segments = segments.afterProcessDeath(next);
    folders.replaceAll((name, folder) -> folder.afterProcessDeath(next));
  }

  /** Another machine has it: whatever the process that had it still asks of it fails. */
  void givenAway() {
    StorageFaults before = faults;
    processDied();
    before.failWhere(any -> true, "the disk is another machine's");
  }

  void powerLost() {
    StorageFaults next = freshFaults();
    tables = tables.afterPowerLoss(next, random);
    segments = segments.afterPowerLoss(next, random);
    folders.replaceAll((name, folder) -> folder.afterPowerLoss(next, random));
  }

  /** The bytes of each file, in folders and beside them. */
  SortedMap<String, ByteBuffer> content() throws IOException {
    SortedMap<String, ByteBuffer> all = new TreeMap<>();
    add(all, "", segments);
    for (Map.Entry<String, MemorySegmentDirectory> folder : folders.entrySet()) {
      all.put(folder.getKey() + "/", ByteBuffer.allocate(0));
      add(all, folder.getKey() + "/", folder.getValue());
    }
    return all;
  }

  private static void add(
      SortedMap<String, ByteBuffer> all, String prefix, MemorySegmentDirectory folder)
      throws IOException {
    for (String name : folder.list()) {
      try (SegmentFile file = folder.open(name)) {
        ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(file.sizeBytes()));
        file.read(content, 0);
        all.put(prefix + name, content.flip());
      }
    }
  }

  MemoryKeyValueStore tables() {
    return tables;
  }

  MemorySegmentDirectory segments() {
    return segments;
  }

  void failPerMille(int share) {
    failPerMille = share;
  }

  void failWrites(boolean foldersToo) {
    failsWrites = true;
    failsFolders = foldersToo;
  }

  void repair() {
    failPerMille = 0;
    failsWrites = false;
    failsFolders = false;
    full(false);
  }

  void full(long urgentBatches) {
    urgentLeft = urgentBatches;
    full(true);
  }

  void full(boolean isFull) {
    full = isFull;
    if (isFull) {
      tables.fill(urgentLeft, SimDisk::noSpace);
    } else {
      urgentLeft = Long.MAX_VALUE;
      tables.empty();
    }
    segments.limitBytes(leftBytes());
    folders.values().forEach(folder -> folder.limitBytes(leftBytes()));
  }

  private static IOException noSpace(boolean reserveUsedUp) {
    return reserveUsedUp
        ? OutOfSpaceException.ofReserve("the reserve is used up")
        : new OutOfSpaceException("the disk is full");
  }

  private long leftBytes() {
    return full ? 0 : ROOM_BYTES;
  }

  /** It does nothing wrong by itself now. */
  boolean isSound() {
    return failPerMille == 0 && !failsWrites && !full && killAt == Long.MAX_VALUE;
  }

  /** Flips a bit of a block; false if there is none. */
  boolean rot() {
    try {
      List<String> names = new ArrayList<>(segments.list());
      names.removeIf(name -> segments.storedBlocks(name).isEmpty());
      if (names.isEmpty()) {
        return false;
      }
      String name = names.get(random.nextInt(names.size()));
      List<Long> blocks = segments.storedBlocks(name);
      long block = blocks.get(random.nextInt(blocks.size()));
      segments.rot(name, block * MemorySegmentDirectory.BLOCK_BYTES + random.nextInt(4096));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The disk as a manager uses it. */
  DataFolders dataFolders() {
    return new DataFolders() {
      @Override
      public SegmentDirectory files() {
        return segments;
      }

      @Override
      public SegmentDirectory folder(String name) {
        return folders.computeIfAbsent(
            name,
            made -> {
              MemorySegmentDirectory folder = new MemorySegmentDirectory(faults);
              folder.limitBytes(leftBytes());
              return folder;
            });
      }

      @Override
      public boolean hasFolder(String name) {
        return folders.containsKey(name);
      }

      @Override
      public List<String> folders() {
        return List.copyOf(folders.keySet());
      }

      @Override
      public void deleteFolder(String name) {
        folders.remove(name);
      }

      @Override
      public void renameFolder(String from, String to) {
        folders.put(to, folders.remove(from));
      }

      @Override
      public String placeOf(String name) {
        return name;
      }

      @Override
      public void close() {}
    };
  }
}
