package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFolderTest {
  @TempDir Path above;

  private final List<Path> synced = new ArrayList<>();

  private void sync(Path folder) {
    assertTrue(Files.isDirectory(folder), "the folder above is there");
    synced.add(folder);
  }

  @Test
  void theFolderAboveEachNewOneIsSynced() throws IOException {
    Path folder = above.resolve("a/b");
    assertEquals(folder, DurableFolder.make(folder, this::sync));
    assertTrue(Files.isDirectory(folder));
    assertEquals(List.of(above, above.resolve("a")), synced);
  }

  @Test
  void nothingIsSyncedForAFolderThatIsThere() throws IOException {
    DurableFolder.make(above, this::sync);
    assertEquals(List.of(), synced);
  }

  @Test
  void aLinkToAFolderStandsForIt() throws IOException {
    Path folder = Files.createDirectory(above.resolve("folder"));
    Path link = Files.createSymbolicLink(above.resolve("link"), folder);
    assertEquals(link, DurableFolder.make(link, this::sync));
    assertEquals(List.of(), synced);
  }

  @Test
  void aFileInItsPlaceIsRefused() throws IOException {
    Path file = Files.createFile(above.resolve("file"));
    assertThrows(FileAlreadyExistsException.class, () -> DurableFolder.make(file));
  }

  @Test
  void aFailedSyncIsToldToTheCaller() {
    assertThrows(
        IOException.class,
        () ->
            DurableFolder.make(
                above.resolve("a"),
                folder -> {
                  throw new IOException("no disk");
                }));
  }
}
