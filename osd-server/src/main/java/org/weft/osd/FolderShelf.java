package org.weft.osd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.weft.osd.membership.ConfigurationShelf;
import org.weft.protocol.system.AtomicFile;

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
    AtomicFile.write(directory.resolve(FILE), copy, "rw-------");
  }
}
