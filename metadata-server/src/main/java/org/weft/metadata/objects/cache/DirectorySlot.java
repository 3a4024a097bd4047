package org.weft.metadata.objects.cache;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.directory.BlockView;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** What a {@link DirectoryTable} keeps of a directory that has changed. */
final class DirectorySlot implements BlockView {
  private final DirectoryTable table;
  private final ObjectId directory;

  /** Blocks newer than the copies under a checkpoint. */
  final SortedMap<Integer, byte[]> changed = new TreeMap<>();

  /** Numbers of those that have changed since the last flush was planned. */
  private final SortedSet<Integer> dirty = new TreeSet<>();

  private StorageMap map;
  private int endBlock;
  private int counted;
  private List<OsdId> sources = List.of();
  private final SortedMap<OsdId, LaggingCopies.Lag> unheard = new TreeMap<>();

  DirectorySlot(DirectoryTable table, ObjectId directory) {
    this.table = table;
    this.directory = directory;
  }

  @Override
  public ObjectId directory() {
    return directory;
  }

  @Override
  public byte[] read(int number) {
    byte[] block = changed.get(number);
    return block != null ? block : table.clean(directory, number);
  }

  @Override
  public void write(int number, byte[] block) {
    // One that had changed before is not among the clean ones.
    if (changed.put(number, block) == null) {
      table.forgetClean(directory, number);
    }
    dirty.add(number);
    if (number == DirectoryBlock.HEADER) {
      endBlock = DirectoryBlock.endBlockOf(block);
    }
  }

  /** As the newest header says, which need not be in memory. */
  int endBlock() {
    return endBlock;
  }

  StorageMap map() {
    return map;
  }

  void map(StorageMap value) {
    map = value;
  }

  boolean isDirty() {
    return !dirty.isEmpty();
  }

  /** The block is under a checkpoint everywhere. */
  void settled(int number) {
    changed.remove(number);
    dirty.remove(number);
  }

  /** By how many there are more blocks that are not under a checkpoint than when last asked. */
  int uncounted() {
    int more = changed.size() - counted;
    counted = changed.size();
    return more;
  }

  /** Everything that is not under a checkpoint goes out again; at least the header. */
  void makeDirty() {
    dirty.addAll(changed.keySet());
  }

  SortedMap<Integer, byte[]> takeDirty() {
    SortedMap<Integer, byte[]> taken = new TreeMap<>();
    dirty.forEach(number -> taken.put(number, changed.get(number)));
    dirty.clear();
    return Collections.unmodifiableSortedMap(taken);
  }

  /** During redo: replicas with the state from which it started. */
  List<OsdId> sources() {
    return sources;
  }

  void startedFrom(List<OsdId> replicas, List<LaggingCopies.Lag> notCompared) {
    sources = List.copyOf(replicas);
    notCompared.forEach(lag -> unheard.put(lag.effect().osd(), lag));
  }

  /**
   * Goes back to before {@link #startedFrom}; see {@link #takeUnheard} for OSDs that had not
   * answered then.
   */
  void startOver() {
    sources = List.of();
    changed.clear();
    dirty.clear();
  }

  void forgetSources() {
    sources = List.of();
  }

  /** Replicas that were not compared when redo started: they must lag. */
  SortedMap<OsdId, LaggingCopies.Lag> takeUnheard() {
    SortedMap<OsdId, LaggingCopies.Lag> taken = new TreeMap<>(unheard);
    unheard.clear();
    return taken;
  }

  boolean isIdle() {
    return changed.isEmpty() && sources.isEmpty() && unheard.isEmpty();
  }
}
