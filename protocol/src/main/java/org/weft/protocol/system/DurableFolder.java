package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Makes folders that survive a crash of the machine. The sync of a file does not promise that the
 * name of its folder is durable: each folder above a new one is synced, too.
 */
public final class DurableFolder {
  private DurableFolder() {}

  /**
   * Makes the folder, and those above it that are missing. They are durable when this returns.
   *
   * @return the folder's absolute path
   * @throws IOException if one cannot be made, or the folder above it not be synced
   */
  public static Path make(Path folder) throws IOException {
    return make(folder, AtomicFile::sync);
  }

  /** What makes the names in a folder durable. */
  @FunctionalInterface
  interface FolderSync {
    void sync(Path folder) throws IOException;
  }

  static Path make(Path folder, FolderSync disk) throws IOException {
    Path absolute = folder.toAbsolutePath();
    if (Files.isDirectory(absolute)) {
      // Perhaps a link to a folder elsewhere: createDirectories of some JDKs refuses that.
      return absolute;
    }
    Deque<Path> missing = new ArrayDeque<>();
    for (Path each = absolute; !Files.exists(each); each = each.getParent()) {
      missing.push(each);
    }
    Files.createDirectories(absolute);
    for (Path made : missing) {
      disk.sync(made.getParent());
    }
    return absolute;
  }
}
