package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.weft.protocol.system.AtomicFile;

/** Tells whether a disk takes what a start writes: a vote, a term, the head of a log. */
final class DiskRoom {
  /** Stays behind if the process is killed meanwhile, and is replaced by the next start. */
  static final String NAME = "room" + AtomicFile.TEMPORARY_SUFFIX;

  private static final int BYTES = 64 << 10;

  private DiskRoom() {}

  /**
   * @throws IOException what the disk says, if it does not take a few blocks
   */
  static void require(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate(BYTES);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(false);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
