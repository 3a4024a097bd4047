package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/**
 * Names what the kernel has mounted, by the folders that ext4, xfs and f2fs keep for each mounted
 * file system: {@code /sys/fs/ext4/sda1}. The kernel makes such a folder with the mount and removes
 * it with the last mount of that file system. Its inode number is not used again (Linux 4.14 and
 * later). So the name is the same in all containers and for bind mounts. It also stays after a lazy
 * unmount that was not carried out yet, as the page cache does. The number of a mount says nothing
 * of that, and is used again at once.
 *
 * <p>Other file systems have no name here.
 */
final class MountedFileSystems {
  private static final int MINOR_BITS = 8;
  private static final int MAJOR_BITS = 12;

  private final Path blockDevices;
  private final Path fileSystems;

  /**
   * @param blockDevices holds a link to each block device, named "major:minor"
   * @param fileSystems holds a folder of each kind, with one of each mounted file system
   */
  MountedFileSystems(Path blockDevices, Path fileSystems) {
    this.blockDevices = blockDevices;
    this.fileSystems = fileSystems;
  }

  static MountedFileSystems ofKernel() {
    return new MountedFileSystems(Path.of("/sys/dev/block"), Path.of("/sys/fs"));
  }

  /** "ext4/sda1 18623", or empty if there is no name. */
  String idOf(Path directory) {
    try {
      return idOfDevice((Long) Files.getAttribute(directory, "unix:dev"));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // Not Linux, or /sys is hidden: only boots can be told from each other then.
      return "";
    }
  }

  /**
   * @param device as stat(2) gives it
   */
  String idOfDevice(long device) throws IOException {
    Path link = blockDevices.resolve(major(device) + ":" + minor(device));
    if (!Files.exists(link)) {
      return "";
    }
    Path name = link.toRealPath().getFileName();
    TreeSet<Path> kinds = new TreeSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(fileSystems)) {
      all.forEach(kinds::add);
    }
    for (Path kind : kinds) {
      Path mounted = kind.resolve(name);
      if (Files.isDirectory(mounted)) {
        return kind.getFileName() + "/" + name + " " + Files.getAttribute(mounted, "unix:ino");
      }
    }
    return "";
  }

  /** The number is split as by gnu_dev_major(3): 12 bits, then those above 32. */
  private static long major(long device) {
    long low = (device >>> MINOR_BITS) & ((1 << MAJOR_BITS) - 1);
    return low | ((device >>> Integer.SIZE) & ~((1L << MAJOR_BITS) - 1));
  }

  /** Eight bits, then those above the lower part of the major number. */
  private static long minor(long device) {
    long low = device & ((1 << MINOR_BITS) - 1);
    return low | ((device >>> MAJOR_BITS) & 0xffffff00L);
  }
}
