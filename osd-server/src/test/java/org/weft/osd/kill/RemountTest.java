package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.JoinRequest;
import org.weft.testkit.sysmgr.FakeCluster;
import org.weft.testkit.sysmgr.FakeSysmgr;

/**
 * P 5.9 with real mounts: the page cache goes with the file system that is mounted. Skipped where
 * the kernel lets this user mount no ext4 of a file.
 */
@Tag("long")
class RemountTest {
  private static final int COMMAND_SECONDS = 60;
  private static final long DISK_BYTES = 512L << 20;

  @TempDir Path directory;
  private final SystemEnvironment system = SystemEnvironment.create();
  private final FakeCluster cluster = FakeCluster.seeded(5).heartbeatMillis(20);
  private FakeSysmgr sysmgr;
  private boolean mounted;

  @BeforeEach
  void mountADisk() throws Exception {
    Path image = directory.resolve("disk");
    try (var file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(DISK_BYTES);
    }
    Files.createDirectories(mountPoint());
    Files.createDirectories(directory.resolve("elsewhere"));
    String why = run("mkfs.ext4", "-q", "-F", image.toString());
    assumeTrue(why.isEmpty(), "no ext4 can be made here: " + why);
    why = mount();
    assumeTrue(why.isEmpty(), "nothing can be mounted here: " + why);
    sysmgr = FakeSysmgr.start(system.environment().transport(), cluster);
  }

  @AfterEach
  void unmount() throws Exception {
    if (sysmgr != null) {
      sysmgr.close();
    }
    system.close();
    if (mounted) {
      assertEquals("", run("umount", mountPoint().toString()));
    }
  }

  private Path mountPoint() {
    return directory.resolve("mounted");
  }

  private String mount() throws Exception {
    String why =
        run("mount", "-o", "loop", directory.resolve("disk").toString(), mountPoint().toString());
    mounted = why.isEmpty();
    return why;
  }

  /** Empty, or why it failed. */
  private static String run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS), command[0] + " ends");
      return process.exitValue() == 0 ? "" : command[0] + " says " + said.strip();
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A process of its own: what a process had open keeps a file system from being unmounted. */
  private OsdProcess start(Path at) throws Exception {
    OsdProcess process =
        OsdProcess.start(
            at.resolve("osd"), directory.resolve("scratch"), sysmgr.address(), cluster.joinToken());
    process.awaitReady();
    return process;
  }

  private void startAndKill() throws Exception {
    start(mountPoint()).kill();
  }

  private boolean saysThatItMayLackWrites(Path at) throws Exception {
    start(at).stop();
    List<JoinRequest> joins = cluster.joins();
    return joins.get(joins.size() - 1).getUnclean();
  }

  @Test
  void aFileSystemMountedAnewAfterAKillMayLackWrites() throws Exception {
    startAndKill();
    assertEquals("", run("umount", mountPoint().toString()));
    assertEquals("", mount());
    assertTrue(saysThatItMayLackWrites(mountPoint()));
    assertEquals("", run("umount", mountPoint().toString()));
    assertEquals("", mount());
    assertFalse(saysThatItMayLackWrites(mountPoint()), "the last stop was clean");
  }

  @Test
  void aKillAloneLosesNothing() throws Exception {
    startAndKill();
    assertFalse(saysThatItMayLackWrites(mountPoint()));
  }

  /** As a container has it that was started again: another mount of the same file system. */
  @Test
  void aSecondMountOfAMountedFolderLosesNothing() throws Exception {
    startAndKill();
    Path elsewhere = directory.resolve("elsewhere");
    assertEquals("", run("mount", "--bind", mountPoint().toString(), elsewhere.toString()));
    try {
      assertFalse(saysThatItMayLackWrites(elsewhere));
    } finally {
      assertEquals("", run("umount", elsewhere.toString()));
    }
  }
}
