package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.it.process.DaemonCluster;
import org.weft.it.process.WeftCli;
import org.weft.it.process.WeftProcess;

/**
 * Both managers of a volume lose their disks: a new one recovers it from its OSDs, although it and
 * SysMgr are killed on the way (P 6.8e).
 */
class VolumeRecoverTest {
  private static final int OSDS = 5;
  private static final int DIRECTORIES = 4;
  private static final int FILES = 12;
  private static final int MOST_BYTES = 200_000;
  private static final int WIDE_BYTES = 3_000_000;

  @TempDir Path scratch;

  /** Files of all sizes, with modes of their own. */
  private Path source() throws IOException {
    Random random = new Random(95_610_000);
    Path top = Files.createDirectory(scratch.resolve("source"));
    for (int directory = 0; directory < DIRECTORIES; directory++) {
      Path in = Files.createDirectories(top.resolve("d" + directory).resolve("below"));
      for (int file = 0; file < FILES; file++) {
        byte[] content = new byte[file == 0 ? 0 : random.nextInt(MOST_BYTES)];
        random.nextBytes(content);
        Path made = Files.write(in.resolve("f" + file), content);
        Files.setPosixFilePermissions(
            made, PosixFilePermissions.fromString(file % 2 == 0 ? "rw-r-----" : "rwxr--r--"));
      }
    }
    byte[] wide = new byte[WIDE_BYTES];
    random.nextBytes(wide);
    Files.write(top.resolve("wide"), wide);
    return top;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private static List<Path> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.map(folder::relativize).sorted().toList();
    }
  }

  @Test
  void aVolumeWhoseManagersLostTheirDisksComesBackFromItsOsds() throws Exception {
    Path source = source();
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 2)) {
      WeftCli weft = cluster.cli();
      weft.run("fs", "put", source.toString(), "/tree");
      String before = weft.run("fs", "ls", "-R", "--json", "/tree");
      // In order, so that all of it is on OSDs.
      for (int manager = 1; manager <= 2; manager++) {
        cluster.manager(manager).stop();
      }
      for (int manager = 1; manager <= 2; manager++) {
        delete(cluster.dataOf(cluster.manager(manager)));
      }
      DaemonCluster.kill(cluster.osd(1));
      cluster.manager(1).start();
      try (WeftProcess recovery =
          WeftProcess.start(
              scratch, "volume", "recover", "/", "--cluster", "127.0.0.1:" + cluster.port())) {
        recovery.awaitLine(line -> line.contains("are away"));
        DaemonCluster.kill(cluster.manager(1));
        DaemonCluster.killAndRestart(cluster.sysmgr());
        cluster.manager(1).start();
        cluster.osd(1).start();
        assertEquals(0, recovery.awaitEnd(), recovery::output);
        assertTrue(recovery.output().contains("Volume / is recovered"), recovery::output);
      }
      assertEquals(before, weft.run("fs", "ls", "-R", "--json", "/tree"));
      Path back = scratch.resolve("back");
      weft.run("fs", "get", "/tree", back.toString());
      assertEquals(in(source), in(back));
      for (Path each : in(source)) {
        if (Files.isRegularFile(source.resolve(each))) {
          assertArrayEquals(
              Files.readAllBytes(source.resolve(each)),
              Files.readAllBytes(back.resolve(each)),
              each::toString);
        }
      }
      weft.run("volume", "check", "/");
      cluster.stop();
    }
  }
}
