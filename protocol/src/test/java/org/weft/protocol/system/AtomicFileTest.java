package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
  private static final byte[] OLD = {1, 2, 3};
  private static final byte[] NEW = {4};

  @TempDir private Path folder;

  private List<Path> all() throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }

  @Test
  void aReplacedFileLeavesNoOtherFileBehind() throws IOException {
    Path file = folder.resolve("kept");
    AtomicFile.write(file, OLD, "rw-r--r--");
    // What a crash has left of an earlier write, longer and open to others.
    Files.write(folder.resolve("kept" + AtomicFile.TEMPORARY_SUFFIX), new byte[100]);
    AtomicFile.write(file, NEW, "rw-------");
    assertArrayEquals(NEW, Files.readAllBytes(file));
    assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
    assertEquals(List.of(file), all());
  }

  @Test
  void aWriteThatFailsLeavesTheOldFile() throws IOException {
    Path file = folder.resolve("kept");
    AtomicFile.write(file, OLD, "rw-------");
    // Nothing can be written where a folder with something in it stands.
    Files.createDirectories(folder.resolve("kept" + AtomicFile.TEMPORARY_SUFFIX).resolve("x"));
    assertThrows(IOException.class, () -> AtomicFile.write(file, NEW, "rw-------"));
    assertArrayEquals(OLD, Files.readAllBytes(file));
  }
}
