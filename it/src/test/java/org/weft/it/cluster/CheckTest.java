package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;

/**
 * {@code weft volume check} on real daemons (P 6.8d). It finds nothing in a healthy volume beside a
 * writer, and reports what was done to the stores of stopped OSDs. The gate has the second part in
 * {@link OfflineCheckTest}.
 */
@Tag("long")
class CheckTest {
  private static final int OSDS = 4;
  @TempDir Path scratch;

  /** Makes, moves and removes files until it is told to end; how many. */
  private static int keepBusy(WeftFiles files, AtomicBoolean ended) throws IOException {
    WeftPath busy = WeftPath.of("/tmp/busy");
    var unused = files.mkdirs(busy, 0755);
    int turn = 0;
    for (; !ended.get(); turn++) {
      HarmedVolume.write(files, busy.child("made-" + turn), HarmedVolume.MIRROR, 1 + turn % 20_000);
      files.rename(busy.child("made-" + turn), busy.child("moved-" + turn), false);
      if (turn >= 10) {
        files.unlink(busy.child("moved-" + (turn - 10)));
      }
    }
    return turn;
  }

  private static void harm(DaemonCluster cluster, List<StoreHarm> harms, SystemEnvironment system)
      throws Exception {
    // What the manager remembers of attributes would hide that they are gone.
    cluster.manager(1).stop();
    StoreHarm.toAll(cluster, harms, system);
    cluster.manager(1).start();
  }

  private static void assertNothingIsFoundBesideAWriter(WeftCli cli, WeftFiles files)
      throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    FutureTask<Integer> writer = new FutureTask<>(() -> keepBusy(files, ended));
    Thread thread = new Thread(writer, "busy");
    thread.start();
    WeftCli.Result beside;
    try {
      beside = cli.tryRun("volume", "check", "/", "--json");
    } finally {
      ended.set(true);
    }
    assertTrue(writer.get() > 0, "the writer has written");
    assertEquals(0, beside.exitCode(), beside::output);
  }

  @Test
  void checkReportsExactlyTheStoreDamage() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      WeftCli cli = cluster.cli();
      List<StoreHarm> harms;
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "check", system, callbacks)) {
        WeftFiles files = client.files();
        HarmedVolume.make(files);
        assertNothingIsFoundBesideAWriter(cli, files);
        WeftCli.Result healthy = cli.tryRun("volume", "check", "/", "--parity");
        assertEquals(0, healthy.exitCode(), healthy::output);
        harms = HarmedVolume.harms(files);
      }
      harm(cluster, harms, system);
      HarmedVolume.awaitFound(cli, "volume", "check", "/", "--parity", "--json");
    } catch (CompletionException e) {
      throw new AssertionError("a store took no harm", e);
    }
  }
}
