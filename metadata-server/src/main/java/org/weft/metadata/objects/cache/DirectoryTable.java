package org.weft.metadata.objects.cache;

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * Directory blocks in memory. Blocks newer than the copies under a checkpoint are kept with their
 * directory. The others are bounded, least recently used first out. Single-threaded.
 */
final class DirectoryTable {
  private record BlockKey(ObjectId directory, int number) {}

  private static final int REMEMBERED_EVICTIONS = 1 << 14;

  private int cleanLimit;
  private final int changedLimit;
  private final SortedMap<ObjectId, DirectorySlot> slots = new TreeMap<>();
  private final LinkedHashMap<BlockKey, byte[]> clean = new LinkedHashMap<>(16, 0.75f, true);
  private final SortedSet<ObjectId> dirty = new TreeSet<>();
  private final SortedSet<ObjectId> pressed = new TreeSet<>();
  private final SortedSet<ObjectId> overfull = new TreeSet<>();
  private final RecentlyEvicted<BlockKey> evicted = new RecentlyEvicted<>(REMEMBERED_EVICTIONS);
  private long changedBlocks;

  DirectoryTable(int cleanLimit, int changedLimit) {
    this.cleanLimit = cleanLimit;
    this.changedLimit = changedLimit;
  }

  /** Keeps no more clean blocks than this from now on. */
  void limit(int clean) {
    cleanLimit = clean;
    evict();
  }

  /** The directory's blocks, to read or change. */
  DirectorySlot slot(ObjectId directory) {
    DirectorySlot slot = slots.get(directory);
    return slot != null ? slot : new DirectorySlot(this, directory);
  }

  /** To be called after the slot has changed. */
  void changed(DirectorySlot slot) {
    slots.put(slot.directory(), slot);
    keep(dirty, slot, slot.isDirty());
    count(slot);
  }

  /** All that is not under a checkpoint may have to leave in one frame once more. */
  private void count(DirectorySlot slot) {
    changedBlocks += slot.uncounted();
    keep(pressed, slot, slot.changed.size() >= changedLimit / 2);
    keep(overfull, slot, slot.changed.size() >= changedLimit);
  }

  private static void keep(SortedSet<ObjectId> set, DirectorySlot slot, boolean contained) {
    if (contained) {
      set.add(slot.directory());
    } else {
      set.remove(slot.directory());
    }
  }

  /** The directory has this map from now on, whether its blocks change or not. */
  void moved(ObjectId directory, StorageMap map) {
    DirectorySlot slot = slots.get(directory);
    if (slot != null) {
      slot.map(map);
    }
  }

  /** The directory is gone. */
  void remove(ObjectId directory) {
    DirectorySlot slot = slots.remove(directory);
    if (slot != null) {
      slot.startOver();
      changedBlocks += slot.uncounted();
    }
    dirty.remove(directory);
    pressed.remove(directory);
    overfull.remove(directory);
  }

  /** Blocks of all directories that are not under a checkpoint. */
  long changedBlocks() {
    return changedBlocks;
  }

  boolean hasRoom() {
    return overfull.isEmpty();
  }

  /** Some directory has used more than half of its room. */
  boolean isPressed() {
    return !pressed.isEmpty();
  }

  boolean hasDirty() {
    return !dirty.isEmpty();
  }

  /** Directories with changes since this was last called, ascending. */
  SortedSet<ObjectId> takeDirty() {
    SortedSet<ObjectId> taken = new TreeSet<>(dirty);
    dirty.clear();
    return taken;
  }

  int generation() {
    return evicted.generation();
  }

  /** A block that was loaded; what is here already is newer or the same. */
  void loaded(DirectorySlot slot, int number, byte[] block, int loadGeneration) {
    BlockKey key = new BlockKey(slot.directory(), number);
    if (slot.read(number) == null
        && !evicted.isStale(key, DirectoryBlock.lsnOf(block), loadGeneration)) {
      clean.put(key, block);
      evict();
    }
  }

  /** Keeps what redo must know of a directory whose blocks have not changed yet. */
  void keep(DirectorySlot slot) {
    slots.put(slot.directory(), slot);
  }

  byte[] clean(ObjectId directory, int number) {
    return clean.get(new BlockKey(directory, number));
  }

  void forgetClean(ObjectId directory, int number) {
    clean.remove(new BlockKey(directory, number));
  }

  /** Its copies may have lost what they were given: to be flushed again. */
  void makeDirty(ObjectId directory) {
    DirectorySlot slot = slots.get(directory);
    if (slot != null && !slot.changed.isEmpty()) {
      slot.makeDirty();
      changed(slot);
    }
  }

  /** All present copies hold these blocks under a checkpoint. */
  void settled(ObjectId directory, SortedMap<Integer, byte[]> blocks) {
    DirectorySlot slot = slots.get(directory);
    if (slot == null) {
      return;
    }
    blocks.forEach(
        (number, block) -> {
          if (slot.changed.get(number) == block) {
            slot.settled(number);
            clean.put(new BlockKey(directory, number), block);
          }
        });
    keep(dirty, slot, slot.isDirty());
    count(slot);
    forgetIfIdle(slot);
    evict();
  }

  /**
   * Forgets the directory's blocks, changed or not.
   *
   * @return replicas that were not compared, and that no round has reported
   */
  Collection<LaggingCopies.Lag> startOver(ObjectId directory) {
    clean.keySet().removeIf(key -> key.directory().equals(directory));
    DirectorySlot slot = slots.get(directory);
    if (slot == null) {
      return List.of();
    }
    slot.startOver();
    evicted.forget(key -> key.directory().equals(directory));
    keep(dirty, slot, false);
    count(slot);
    return slot.takeUnheard().values();
  }

  /** As {@link DirectorySlot#takeUnheard}; of files, and where nothing has changed, none. */
  SortedMap<OsdId, LaggingCopies.Lag> takeUnheard(ObjectId object) {
    DirectorySlot slot = slots.get(object);
    return slot == null ? Collections.emptySortedMap() : slot.takeUnheard();
  }

  /** Redo has ended: every replica will be alike once what has changed is flushed. */
  void endReplay() {
    for (DirectorySlot slot : List.copyOf(slots.values())) {
      slot.forgetSources();
      forgetIfIdle(slot);
    }
  }

  private void forgetIfIdle(DirectorySlot slot) {
    if (slot.isIdle()) {
      slots.remove(slot.directory());
    }
  }

  private void evict() {
    Iterator<Map.Entry<BlockKey, byte[]>> eldest = clean.entrySet().iterator();
    while (clean.size() > cleanLimit) {
      Map.Entry<BlockKey, byte[]> entry = eldest.next();
      evicted.add(entry.getKey(), DirectoryBlock.lsnOf(entry.getValue()));
      eldest.remove();
    }
  }
}
