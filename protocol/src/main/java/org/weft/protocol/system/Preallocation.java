package org.weft.protocol.system;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Gives a file space of the disk before anything is written there; it reads as zeros. The JDK knows
 * no such call. Thread-safe.
 */
@FunctionalInterface
public interface Preallocation {
  /** Nothing can; space is had by writing zeros. */
  Preallocation NONE = (file, fromBytes, toBytes) -> false;

  /**
   * Lengthens the file to {@code toBytes}, with space from {@code fromBytes} on.
   *
   * @return false if this system or file system cannot do it, and nothing was done
   * @throws IOException if the disk, or a quota, has no room, or fails; some of it may have been
   *     done
   */
  boolean allocate(Path file, long fromBytes, long toBytes) throws IOException;
}
