package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftClient;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * {@code weft volume check --offline} is killed with SIGKILL, from when it has the directory's lock
 * to its last answers (P 6.8d.6). The manager's directory stays as it is to the byte, and the
 * manager serves it afterwards.
 */
@Tag("long")
class OfflineCheckKillTest {
  private static final int OSDS = 4;
  private static final WeftPath FILE = WeftPath.of("/tmp/file");
  private static final int FILE_BYTES = 300_000;

  /** After it has the lock. A whole check of so few files takes some seconds. */
  private static final long[] MILLIS = {0, 100, 400, 1_000, 1_800, 2_600, 3_500, 5_000};

  @TempDir Path scratch;

  private static boolean isLocked(Path data) throws IOException {
    try (FileChannel lock = FileChannel.open(data.resolve("lock"), StandardOpenOption.WRITE);
        FileLock held = lock.tryLock()) {
      return held == null;
    }
  }

  @Test
  void killedAtAnyMomentItChangesNoByteAndTheManagerServes() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      Path data = cluster.dataOf(cluster.manager(1));
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "fill", system, callbacks)) {
        OfflineChecked.fill(client.files());
        HarmedVolume.write(client.files(), FILE, HarmedVolume.WIDE, FILE_BYTES);
      }
      DaemonCluster.kill(cluster.manager(1));
      SortedMap<String, String> before = OfflineChecked.digests(data);
      for (long millis : MILLIS) {
        try (WeftProcess check =
            WeftProcess.start(scratch, OfflineChecked.arguments(cluster, 1, true))) {
          Await.until(
              HarmedVolume.DEADLINE_SECONDS,
              () -> "the check has the lock: " + check.output(),
              () -> isLocked(data));
          // The moment at which it dies; nothing is waited for.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
          // Else nothing was interrupted; the last one may be over by then.
          assertTrue(millis == MILLIS[MILLIS.length - 1] || check.isAlive(), check::output);
          check.kill();
        }
        assertEquals(before, OfflineChecked.digests(data), "killed after " + millis + " ms");
      }
      cluster.manager(1).start();
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "after", system, callbacks);
          WeftInputStream in = client.files().open(FILE)) {
        assertArrayEquals(HarmedVolume.content(FILE_BYTES), in.readAllBytes());
      }
      assertEquals(0, cluster.cli().tryRun("volume", "check", "/", "--parity").exitCode());
    }
  }
}
