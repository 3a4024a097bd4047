package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data directories are closed to other users. */
class PrivateFolderTest {
  @TempDir Path root;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aNewDirectoryIsItsUsersAlone() throws IOException {
    Path folder = PrivateFolder.prepare(root.resolve("above/data"));
    assertEquals("rwx------", mode(folder));
  }

  @Test
  void aDirectoryThatOthersMayEnterIsClosedToThem() throws IOException {
    Path folder = Files.createDirectory(root.resolve("data"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    PrivateFolder.prepare(folder);
    assertEquals("rwx------", mode(folder));
  }

  @Test
  void aNarrowerModeStays() throws IOException {
    Path folder = Files.createDirectory(root.resolve("data"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-x------"));
    PrivateFolder.prepare(folder);
    assertEquals("r-x------", mode(folder));
  }

  @Test
  void theTargetOfALinkIsClosed() throws IOException {
    Path target = Files.createDirectory(root.resolve("disk"));
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
    PrivateFolder.prepare(Files.createSymbolicLink(root.resolve("data"), target));
    assertEquals("rwx------", mode(target));
  }

  @Test
  void aDirectoryOfAnotherUserIsRefusedAndLeftAsItIs() throws IOException {
    Path folder = Files.createDirectory(root.resolve("data"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    int owner = (Integer) Files.getAttribute(folder, "unix:uid");
    IOException refusal =
        assertThrows(
            IOException.class, () -> PrivateFolder.prepare(folder, OptionalInt.of(owner + 1)));
    assertTrue(refusal.getMessage().contains("belongs to the user"), refusal.getMessage());
    assertEquals("rwxr-xr-x", mode(folder));
    PrivateFolder.prepare(folder, OptionalInt.of(owner));
  }

  @Test
  void aFolderOfOthersIsNotTrusted() throws IOException {
    Path file = Files.createFile(root.resolve("state"));
    int owner = (Integer) Files.getAttribute(file, "unix:uid");
    PrivateFolder.requireTrusted(file);
    PrivateFolder.requireTrusted(root.resolve("missing"));
    assertThrows(
        IOException.class, () -> PrivateFolder.requireTrusted(file, OptionalInt.of(owner + 1)));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    IOException refusal = assertThrows(IOException.class, () -> PrivateFolder.requireTrusted(file));
    assertTrue(refusal.getMessage().contains("chmod go-w"), refusal.getMessage());
  }
}
