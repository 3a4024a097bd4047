package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.directory.BlockView;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.DirectoryBlock;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.NamedEntry;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/** A directory as one OSD has it. */
final class StoredDirectory implements BlockView {
  private final ObjectId id;
  private final SortedMap<Integer, byte[]> blocks;
  private final SortedMap<Integer, byte[]> used = new TreeMap<>();

  StoredDirectory(ObjectId id, PortOsd.Stored stored) {
    this(id, stored.blocks);
  }

  private StoredDirectory(ObjectId id, SortedMap<Integer, byte[]> blocks) {
    this.id = id;
    this.blocks = blocks;
  }

  static Lsn lsnOf(byte[] block) {
    return DirectoryBlock.lsnOf(block);
  }

  Lsn lsn() {
    return lsnOf(blocks.get(DirectoryBlock.HEADER));
  }

  SortedMap<String, DirectoryEntry> entries() {
    SortedMap<String, DirectoryEntry> entries = new TreeMap<>();
    for (NamedEntry entry : new Directory(this).list(0, 1_000_000).value().entries()) {
      entries.put(entry.name(), entry.entry());
    }
    return entries;
  }

  /** Entries in a write that holds the whole way to them. */
  static List<DirectoryEntry> entriesIn(CopyWrite.WriteBlocks write) {
    StoredDirectory part = new StoredDirectory(write.object(), write.blocks());
    var page = new Directory(part).list(0, 1_000_000);
    return page.blocks().isEmpty()
        ? new ArrayList<>(page.value().entries().stream().map(NamedEntry::entry).toList())
        : List.of();
  }

  boolean sameBlocksInUse(StoredDirectory other) {
    var mine = entries();
    var unused = other.entries();
    return mine != null
        && used.keySet().equals(other.used.keySet())
        && used.keySet().stream()
            .allMatch(number -> Arrays.equals(used.get(number), other.used.get(number)));
  }

  @Override
  public ObjectId directory() {
    return id;
  }

  @Override
  public byte[] read(int number) {
    byte[] block = blocks.get(number);
    if (block != null) {
      used.put(number, block);
    }
    return block;
  }

  @Override
  public void write(int number, byte[] block) {
    throw new UnsupportedOperationException();
  }
}
