package org.weft.metadata;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.weft.metadata.journal.LookedAtFiles;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.DirectoryLock;
import org.weft.protocol.system.FileSegmentDirectory;

/**
 * The data directory of a manager that is stopped, to be looked at: nothing in it is made, changed
 * or deleted. It is locked meanwhile, so that no manager begins to use it.
 */
final class LookedAtFolders implements DataFolders {
  private static final DirectoryLock.Use USE =
      new DirectoryLock.Use(
          LocalFolders.LOCK,
          "is in use by a manager, or by another check",
          "check the volume without --offline, or stop that manager first");

  private final Path root;
  private final SegmentDirectory files;
  private final DirectoryLock lock;

  private LookedAtFolders(Path root, SegmentDirectory files, DirectoryLock lock) {
    this.root = root;
    this.files = files;
    this.lock = lock;
  }

  /**
   * Locks a directory that a manager has used.
   *
   * @throws WeftException NOT_FOUND: no manager has used it; UNAVAILABLE: one does now
   */
  static LookedAtFolders open(Path root) throws IOException {
    DirectoryLock lock;
    try {
      lock = DirectoryLock.takeExisting(root, USE);
    } catch (NoSuchFileException e) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          root + " is no data directory of a manager; name the one of its `manager.data`",
          e);
    }
    try {
      return new LookedAtFolders(root, look(root), lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** A folder that is not there would be made. */
  private static SegmentDirectory look(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new NoSuchFileException(folder.toString());
    }
    return new LookedAtFiles(folder.toString(), new FileSegmentDirectory(folder));
  }

  @Override
  public SegmentDirectory files() {
    return files;
  }

  @Override
  public SegmentDirectory folder(String name) throws IOException {
    return look(root.resolve(name));
  }

  @Override
  public boolean hasFolder(String name) {
    return Files.isDirectory(root.resolve(name), LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public List<String> folders() throws IOException {
    return LocalFolders.names(root);
  }

  @Override
  public void deleteFolder(String name) throws IOException {
    throw LookedAtFiles.refused(placeOf(name));
  }

  @Override
  public void renameFolder(String from, String to) throws IOException {
    throw LookedAtFiles.refused(placeOf(from));
  }

  @Override
  public String placeOf(String name) {
    return root.resolve(name).toString();
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
