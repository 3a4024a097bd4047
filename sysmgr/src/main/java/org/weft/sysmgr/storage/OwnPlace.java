package org.weft.sysmgr.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.system.AtomicFile;

/**
 * Tells a data directory from a copy of it. The file {@code place} holds the inode number and the
 * time of the last change (ctime) of the empty file {@code place-mark}. Whatever copies files (cp,
 * rsync, tar, a restored backup) makes that anew, and no program can set the time. A copy of a
 * whole file system or disk keeps both and is not recognised.
 *
 * <p>A member that is started from an old copy has forgotten votes and entries that it acknowledged
 * (docs/protocols.md, 5.10).
 */
final class OwnPlace {
  static final String NAME = "place";
  static final String MARK = "place-mark";

  private static final Logger LOG = LoggerFactory.getLogger(OwnPlace.class);
  private static final String INODE = "unix:ino";
  private static final String CHANGED = "unix:ctime";

  private OwnPlace() {}

  /**
   * Notes where the directory lies, durably. Nothing happens on a file system without inodes.
   *
   * @param directory to which this process has the lock
   */
  static void note(Path directory) throws IOException {
    Path mark = directory.resolve(MARK);
    if (!mark.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    Files.deleteIfExists(mark);
    try (FileChannel channel =
        FileChannel.open(mark, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    AtomicFile.sync(directory);
    AtomicFile.write(
        directory.resolve(NAME), numbers(mark).getBytes(StandardCharsets.US_ASCII), "rw-r--r--");
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
    Path mark = directory.resolve(MARK);
    String noted = Files.readString(file, StandardCharsets.US_ASCII);
    if (Files.exists(mark) && noted.equals(numbers(mark))) {
      return;
    }
    throw new IOException(
        directory
            + " is a copy of a data directory of SysMgr member "
            + member
            + ", or was moved to another file system, or the owner or mode of its files was"
            + " changed. If that member has run anywhere since a copy was made, the copy has"
            + " forgotten votes and changes. Then use it no more: beside other members remove this"
            + " one (weft sysmgr member remove "
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

  private static String numbers(Path mark) throws IOException {
    FileTime changed = (FileTime) Files.getAttribute(mark, CHANGED);
    return "inode=" + Files.getAttribute(mark, INODE) + "\nchanged=" + changed.toInstant() + "\n";
  }
}
