package org.weft.metadata;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** A data directory in memory, on a disk that fails where a test says. */
final class MemoryFolders implements DataFolders {
  private final StorageFaults faults;
  private final SegmentDirectory files;
  private final Map<String, SegmentDirectory> folders = new TreeMap<>();

  MemoryFolders(StorageFaults faults) {
    this.faults = faults;
    this.files = new MemorySegmentDirectory(faults);
  }

  @Override
  public SegmentDirectory files() {
    return files;
  }

  @Override
  public SegmentDirectory folder(String name) {
    return folders.computeIfAbsent(name, made -> new MemorySegmentDirectory(faults));
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
}
