package org.weft.protocol.system;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** A folder of the local file system. Sub-folders are not seen. Thread-safe. */
public final class FileSegmentDirectory implements SegmentDirectory {
  private final Path folder;
  private final FileStore disk;
  private final Preallocation preallocation;

  /** Files grow by writing zeros; see the other constructor. */
  public FileSegmentDirectory(Path folder) throws IOException {
    this(folder, Preallocation.NONE);
  }

  /**
   * Makes the folder, and those above it, if it does not exist: durably.
   *
   * @param preallocation how files grow, where it can
   */
  public FileSegmentDirectory(Path folder, Preallocation preallocation) throws IOException {
    this.preallocation = preallocation;
    this.folder = DurableFolder.make(folder);
    this.disk = Files.getFileStore(this.folder);
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    Path file = resolve(name);
    return new FileSegment(
        file,
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE),
        preallocation);
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    Path file = resolve(name);
    return new FileSegment(
        file,
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
        preallocation);
  }

  @Override
  public List<String> list() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(entry -> Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS))
          .map(entry -> entry.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @Override
  public void delete(String name) throws IOException {
    Files.delete(resolve(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path source = resolve(from);
    if (!Files.exists(source, LinkOption.NOFOLLOW_LINKS)) {
      throw new NoSuchFileException(source.toString());
    }
    Files.move(source, resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public long usableBytes() throws IOException {
    return disk.getUsableSpace();
  }

  @Override
  public void sync() throws IOException {
    AtomicFile.sync(folder);
  }

  private Path resolve(String name) {
    if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("not a plain file name: '" + name + "'");
    }
    return folder.resolve(name);
  }
}
