package org.weft.osd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.weft.protocol.system.AtomicFile;

/**
 * How much an OSD offers. The file {@code capacity} of its data directory keeps the figure, in
 * decimal. What is free on the disk changes as the OSDs on it fill up, and what one offers must
 * not.
 */
final class OfferedCapacity {
  private static final String FILE = "capacity";
  private static final int KEPT_FREE_PER_CENT = 10;

  private final Path directory;

  OfferedCapacity(Path directory) {
    this.directory = directory;
  }

  /** The wish if there is one, else what was offered before, else a share of what is free now. */
  long decide(OptionalLong wishedBytes, int osdsOnDisk) throws IOException {
    OptionalLong before = read();
    long bytes =
        wishedBytes.isPresent()
            ? wishedBytes.getAsLong()
            : before.isPresent() ? before.getAsLong() : shareOfFree(osdsOnDisk);
    if (before.isEmpty() || before.getAsLong() != bytes) {
      write(bytes);
    }
    return bytes;
  }

  /** What the file system has left for this process; empty if it does not say. */
  OptionalLong diskFreeBytes() {
    try {
      return OptionalLong.of(Files.getFileStore(directory).getUsableSpace());
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  private long shareOfFree(int osdsOnDisk) throws IOException {
    long freeBytes = Files.getFileStore(directory).getUsableSpace();
    return freeBytes / 100 * (100 - KEPT_FREE_PER_CENT) / osdsOnDisk;
  }

  private OptionalLong read() throws IOException {
    Path file = directory.resolve(FILE);
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(file).strip()));
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    } catch (NumberFormatException e) {
      throw new IOException(
          file + " should hold the capacity in bytes; state it with --capacity and remove the file",
          e);
    }
  }

  private void write(long bytes) throws IOException {
    byte[] text = (bytes + "\n").getBytes(StandardCharsets.US_ASCII);
    AtomicFile.write(directory.resolve(FILE), text, "rw-r--r--");
  }
}
