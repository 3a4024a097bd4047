package org.weft.protocol.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Writes small files whole and durably. When {@link #write} has returned, the new file survives a
 * crash of the machine. After an earlier crash there is the old file or the new one. One thread at
 * a time writes a file.
 */
public final class AtomicFile {
  /** Of what a crash may leave beside the file; the next write removes it. */
  public static final String TEMPORARY_SUFFIX = ".tmp";

  private AtomicFile() {}

  /**
   * Replaces a file, or makes it.
   *
   * @param permissions as in {@code ls -l}: "rw-------"; set before there is a byte in the file
   */
  public static void write(Path file, byte[] content, String permissions) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
    Files.deleteIfExists(temporary);
    Set<StandardOpenOption> options =
        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            options,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(file.getParent());
  }

  /** Makes creations and renames in a directory durable. */
  public static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
