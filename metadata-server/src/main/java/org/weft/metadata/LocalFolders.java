package org.weft.metadata;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.DirectoryLock;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.PrivateFolder;

/**
 * A data directory on a local file system. The file {@code lock} in it is locked for as long as it
 * is open: two managers with one identity would be one manager too many.
 */
final class LocalFolders implements DataFolders {
  /** Of the file that is locked, also by those that only look. */
  static final String LOCK = "lock";

  private static final DirectoryLock.Use USE =
      new DirectoryLock.Use(
          LOCK,
          "is in use by another manager, or by a check of a volume that is not served"
              + " (weft volume check --offline)",
          "stop that one first");

  private final Path root;
  private final SegmentDirectory files;
  private final DirectoryLock lock;

  private LocalFolders(Path root, SegmentDirectory files, DirectoryLock lock) {
    this.root = root;
    this.files = files;
    this.lock = lock;
  }

  /** Makes the directory if need be and locks it; UNAVAILABLE if another process uses it. */
  static LocalFolders open(Path root) throws IOException {
    SegmentDirectory files = new FileSegmentDirectory(PrivateFolder.prepare(root));
    return new LocalFolders(root, files, DirectoryLock.take(root, USE));
  }

  /** Names of the folders in it, sorted. */
  static List<String> names(Path root) throws IOException {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .filter(Files::isDirectory)
          .map(folder -> folder.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @Override
  public SegmentDirectory files() {
    return files;
  }

  @Override
  public SegmentDirectory folder(String name) throws IOException {
    return new FileSegmentDirectory(root.resolve(name));
  }

  @Override
  public boolean hasFolder(String name) {
    return Files.isDirectory(root.resolve(name));
  }

  @Override
  public List<String> folders() throws IOException {
    return names(root);
  }

  @Override
  public void deleteFolder(String name) throws IOException {
    if (!hasFolder(name)) {
      return;
    }
    try (Stream<Path> entries = Files.walk(root.resolve(name))) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  @Override
  public void renameFolder(String from, String to) throws IOException {
    Files.move(root.resolve(from), root.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public String life(BootIdentity boot) {
    return boot.bootId() + " " + boot.folderId(root);
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
