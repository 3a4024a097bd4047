package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a data directory from a copy of it. The file {@code place} holds its own inode number and
 * the directory's: whatever copies files (cp, rsync, tar, a restored backup) makes them anew, with
 * other numbers. A copy of a whole file system or disk keeps them and is not recognised.
 *
 * <p>A member that is started from an old copy has forgotten votes and entries that it acknowledged
 * (docs/protocols.md, 5.10).
 */
final class OwnPlace {
  static final String NAME = "place";

  private static final Logger LOG = LoggerFactory.getLogger(OwnPlace.class);
  private static final String INODE = "unix:ino";

  private OwnPlace() {}

  /**
   * Notes where the directory lies, durably. Nothing happens on a file system without inodes.
   *
   * @param directory to which this process has the lock
   */
  static void note(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    Path temporary = directory.resolve(NAME + AtomicFile.TEMPORARY_SUFFIX);
    Files.deleteIfExists(temporary);
    Files.createFile(temporary);
    if (!hasInodes(temporary)) {
      Files.delete(temporary);
      return;
    }
    try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
      ByteBuffer text =
          ByteBuffer.wrap(numbers(temporary, directory).getBytes(StandardCharsets.US_ASCII));
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    // A rename keeps the file's inode.
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    AtomicFile.sync(directory);
  }

  /**
   * Checks that the directory lies where it was noted. One of an earlier release, which has no such
   * file, is believed and noted.
   *
   * @param member whose directory it is, for the message
   * @throws IOException that says what to do with a copy
   */
  static void require(Path directory, int member) throws IOException {
    Path file = directory.resolve(NAME);
    if (!Files.exists(file)) {
      note(directory);
      return;
    }
    String noted = Files.readString(file, StandardCharsets.US_ASCII);
    if (!hasInodes(file) || noted.equals(numbers(file, directory))) {
      return;
    }
    throw new IOException(
        directory
            + " is a copy of a data directory of SysMgr member "
            + member
            + ", or was moved here from another file system. If that member has run anywhere since"
            + " the copy was made, the copy has forgotten votes and changes. Then use it no more:"
            + " beside other members remove this one (weft sysmgr member remove "
            + member
            + ") and start it with --join and an empty directory; without others build SysMgr from"
            + " the OSDs (weft sysmgr restore). If the member has not run since, start it here once"
            + " with --moved");
  }

  /** An operator has said that nothing was done since the directory was moved or copied here. */
  static void believe(Path directory) throws IOException {
    LOG.warn("{} is taken as it is: it was moved here, the command line says", directory);
    note(directory);
  }

  private static boolean hasInodes(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  private static String numbers(Path file, Path directory) throws IOException {
    return "inode="
        + Files.getAttribute(file, INODE)
        + "\ndirectory="
        + Files.getAttribute(directory, INODE)
        + "\n";
  }
}
