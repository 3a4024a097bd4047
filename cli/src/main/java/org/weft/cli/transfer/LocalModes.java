package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.weft.client.FileStatus;

/**
 * Permission bits and times of local files; those of a symbolic link's target are never changed.
 */
final class LocalModes {
  private LocalModes() {}

  private static boolean hasModes(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Permission bits of a local file; another value where there are none. */
  static int modeOf(Path file, int otherwise) throws IOException {
    if (!hasModes(file)) {
      return otherwise;
    }
    int mode = 0;
    for (PosixFilePermission permission : Files.getPosixFilePermissions(file)) {
      mode |= bit(permission);
    }
    return mode;
  }

  /**
   * Sets permission bits.
   *
   * @param file null where there are none
   */
  static void setMode(PosixFileAttributeView file, int mode) throws IOException {
    if (file == null) {
      return;
    }
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      if ((mode & bit(permission)) != 0) {
        permissions.add(permission);
      }
    }
    file.setPermissions(permissions);
  }

  /** When a file was changed and read last. */
  record Times(long mtimeMillis, long atimeMillis) {
    static Times of(FileStatus status) {
      return new Times(status.mtimeMillis(), status.atimeMillis());
    }

    void set(BasicFileAttributeView file) throws IOException {
      file.setTimes(FileTime.fromMillis(mtimeMillis), FileTime.fromMillis(atimeMillis), null);
    }
  }

  private static int bit(PosixFilePermission permission) {
    return switch (permission) {
      case OWNER_READ -> 0400;
      case OWNER_WRITE -> 0200;
      case OWNER_EXECUTE -> 0100;
      case GROUP_READ -> 040;
      case GROUP_WRITE -> 020;
      case GROUP_EXECUTE -> 010;
      case OTHERS_READ -> 04;
      case OTHERS_WRITE -> 02;
      case OTHERS_EXECUTE -> 01;
    };
  }
}
