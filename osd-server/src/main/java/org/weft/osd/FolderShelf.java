package org.weft.osd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.weft.osd.membership.ConfigurationShelf;

/**
 * The copy as the file {@code configuration-copy} of the data directory, mode 0600, replaced as a
 * whole. It holds the cluster's keys.
 */
final class FolderShelf implements ConfigurationShelf {
  private static final String FILE = "configuration-copy";

  private final Path directory;

  FolderShelf(Path directory) {
    this.directory = directory;
  }

  @Override
  public byte[] held() throws IOException {
    Path file = directory.resolve(FILE);
    return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
  }

  @Override
  public void keep(byte[] copy) throws IOException {
    Path fresh = directory.resolve(FILE + ".new");
    Files.deleteIfExists(fresh);
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(copy);
      while (bytes.hasRemaining()) {
        var unused = channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(
        fresh,
        directory.resolve(FILE),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(directory, StandardOpenOption.READ)) {
      folder.force(true);
    }
  }
}
