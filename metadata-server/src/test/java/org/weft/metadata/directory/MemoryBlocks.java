package org.weft.metadata.directory;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ObjectId;

/** A directory's blocks on a disk, of which only those that were loaded are in memory. */
public final class MemoryBlocks implements BlockView {
  static final ObjectId ID = new ObjectId(77);

  private final ObjectId id;
  final SortedMap<Integer, byte[]> disk;
  private final SortedSet<Integer> inMemory = new TreeSet<>();
  private final boolean cold;
  int loads;

  /**
   * @param cold blocks must be loaded before they can be read
   */
  MemoryBlocks(boolean cold) {
    this(ID, new TreeMap<>(), cold);
  }

  /** A directory whose blocks are all in memory, in that map. */
  public MemoryBlocks(ObjectId id, SortedMap<Integer, byte[]> disk) {
    this(id, disk, false);
  }

  private MemoryBlocks(ObjectId id, SortedMap<Integer, byte[]> disk, boolean cold) {
    this.id = id;
    this.disk = disk;
    this.cold = cold;
  }

  MemoryBlocks copy() {
    MemoryBlocks copy = new MemoryBlocks(cold);
    copy.disk.putAll(disk);
    return copy;
  }

  void load(Iterable<Integer> numbers) {
    for (int number : numbers) {
      loads++;
      inMemory.add(number);
    }
  }

  void forgetAll() {
    inMemory.clear();
    loads = 0;
  }

  @Override
  public ObjectId directory() {
    return id;
  }

  @Override
  public byte[] read(int number) {
    return cold && !inMemory.contains(number) ? null : disk.get(number);
  }

  @Override
  public void write(int number, byte[] block) {
    disk.put(number, block);
    inMemory.add(number);
  }

  boolean sameAs(MemoryBlocks other) {
    return disk.keySet().equals(other.disk.keySet())
        && disk.keySet().stream()
            .allMatch(number -> Arrays.equals(disk.get(number), other.disk.get(number)));
  }
}
