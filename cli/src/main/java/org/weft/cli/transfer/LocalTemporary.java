package org.weft.cli.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes what is written before it gets its own name. The directory may be one that other users can
 * write to: so the name is random, the file is made exclusively, and its mode is 0600 until it is
 * whole. A predictable name would let another user plant a link there.
 */
final class LocalTemporary {
  private static final String PREFIX = ".weft-";

  private LocalTemporary() {}

  /** Makes an empty file beside the target, with mode 0600 where there are modes. */
  static Path file(Path target) throws IOException {
    Path directory = target.toAbsolutePath().getParent();
    return Files.createTempFile(directory, PREFIX, TemporaryName.SUFFIX);
  }

  /** Makes a symbolic link with that text beside the target. */
  static Path symbolicLink(Path target, Path text) throws IOException {
    Path name = file(target);
    Files.delete(name);
    return Files.createSymbolicLink(name, text);
  }
}
