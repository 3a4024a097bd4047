package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With folders as the kernel has them (P 5.9). */
class MountedFileSystemsTest {
  /** 259:3, as stat(2) gives it. */
  private static final long DEVICE = 259L << 8 | 3;

  @TempDir Path directory;
  private MountedFileSystems mounted;

  @BeforeEach
  void oneDevice() throws IOException {
    Path device = Files.createDirectories(directory.resolve("devices/nvme0n1/nvme0n1p3"));
    Files.createDirectories(directory.resolve("dev"));
    Files.createSymbolicLink(directory.resolve("dev/259:3"), device);
    Files.createDirectories(directory.resolve("fs/ext4/features"));
    Files.createDirectories(directory.resolve("fs/xfs/stats"));
    mounted = new MountedFileSystems(directory.resolve("dev"), directory.resolve("fs"));
  }

  private Path mount() throws IOException {
    return Files.createDirectories(directory.resolve("fs/xfs/nvme0n1p3"));
  }

  @Test
  void aMountedFileSystemHasANameUntilItIsMountedAnew() throws IOException {
    Path first = mount();
    String id = mounted.idOfDevice(DEVICE);
    assertTrue(id.startsWith("xfs/nvme0n1p3 "), id);
    assertEquals(id, mounted.idOfDevice(DEVICE));
    // So that the second one gets another inode.
    Files.move(first, directory.resolve("before"));
    assertEquals("", mounted.idOfDevice(DEVICE));
    mount();
    assertNotEquals(id, mounted.idOfDevice(DEVICE));
  }

  @Test
  void devicesWithLargeNumbersAreFound() throws IOException {
    Files.createSymbolicLink(
        directory.resolve("dev/5000:70000"), directory.resolve("devices/nvme0n1/nvme0n1p3"));
    mount();
    long major = 5_000;
    long minor = 70_000;
    long device =
        (major & 0xfff) << 8 | (major & ~0xfffL) << 32 | (minor & 0xff) | (minor & ~0xffL) << 12;
    assertTrue(mounted.idOfDevice(device).startsWith("xfs/nvme0n1p3 "));
  }

  @Test
  void aFileSystemWithoutADeviceOrFolderHasNoName() throws IOException {
    assertEquals("", mounted.idOfDevice(DEVICE));
    assertEquals("", mounted.idOfDevice(17));
    assertEquals("", mounted.idOf(directory.resolve("nowhere")));
  }
}
