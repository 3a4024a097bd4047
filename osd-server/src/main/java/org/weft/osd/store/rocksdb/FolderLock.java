package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Keeps a folder to one opener, also against openers that only read, which RocksDB's own lock lets
 * in. Ends with the process.
 */
final class FolderLock implements AutoCloseable {
  private static final String FILE = "in-use";

  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  static FolderLock take(Path folder) throws IOException {
    Files.createDirectories(folder);
    FileChannel channel =
        FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = null;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      throw inUse(folder);
    } finally {
      if (lock == null) {
        channel.close();
      }
    }
    if (lock == null) {
      throw inUse(folder);
    }
    return new FolderLock(channel);
  }

  private static WeftException inUse(Path folder) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "the object store in " + folder + " is open in another process or OSD; stop that first");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
