package org.weft.metadata;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** A data directory in memory, on a disk that fails where a test says. */
final class MemoryFolders implements DataFolders {
  private final StorageFaults faults;
  private final Consumer<String> opening;
  private final SegmentDirectory files;
  private final Map<String, SegmentDirectory> folders = new TreeMap<>();

  /**
   * @param opening hears of each folder that is to be opened
   */
  MemoryFolders(StorageFaults faults, Consumer<String> opening) {
    this.faults = faults;
    this.opening = opening;
    this.files = new MemorySegmentDirectory(faults);
  }

  @Override
  public SegmentDirectory files() {
    return files;
  }

  @Override
  public SegmentDirectory folder(String name) {
    opening.accept(name);
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
