package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Files are changed at random positions by a process that is killed with {@code kill -9}, and so
 * are managers and OSDs under it. Every acknowledged change is there afterwards, and the one that
 * was under way left old or new blocks. {@code -Dweft.update.rounds=N} says how often, {@code
 * -Dweft.update.seed=N} chooses what.
 */
@Tag("long")
class UpdateKillTest {
  private static final int OSDS = 6;
  private static final int CHANGES_BETWEEN_KILLS = 25;
  private static final int DEADLINE_SECONDS = 180;
  private static final List<Optional<LayoutSpec>> LAYOUTS =
      List.of(
          Optional.empty(),
          Optional.of(LayoutSpec.of(3, 1, 4096)),
          Optional.of(new LayoutSpec(2, 1, 4096, 3, 2)));

  @TempDir Path scratch;

  private final Map<Integer, byte[]> model = new TreeMap<>();
  private final List<String> paths = new ArrayList<>();
  private long acknowledged;
  private int replaced;

  @Test
  void acknowledgedChangesSurviveKillsOfTheClientAndOfDaemons() throws Exception {
    int rounds = Integer.getInteger("weft.update.rounds", 3);
    long seed = Long.getLong("weft.update.seed", 20_261_121L);
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      try (WeftClient client =
          DaemonCluster.connect(cluster.port(), "update-test", system, callbacks)) {
        storm(client.files(), cluster, rounds, seed);
      }
      cluster.stop();
    }
    System.out.printf(
        "update test: %d rounds, %d changes acknowledged, %d files given up%n",
        rounds, acknowledged, replaced);
    assertTrue(acknowledged >= (long) rounds * CHANGES_BETWEEN_KILLS, "changes acknowledged");
  }

  private void storm(WeftFiles files, DaemonCluster cluster, int rounds, long seed)
      throws Exception {
    Random random = new Random(seed);
    for (int file = 0; file < LAYOUTS.size(); file++) {
      paths.add("");
      create(files, file);
    }
    long first = seed * 1_000_000;
    for (int round = 0; round < rounds; round++) {
      List<String> arguments = new ArrayList<>(List.of("" + cluster.port(), "" + first));
      arguments.addAll(paths);
      try (WeftProcess client =
          WeftProcess.startMain(UpdatingClient.class, arguments.toArray(String[]::new))) {
        awaitChanges(client, CHANGES_BETWEEN_KILLS);
        // Each round one daemon, and the client in the end.
        DaemonCluster.killAndRestart(
            round % 2 == 0 ? cluster.osd(1 + random.nextInt(OSDS)) : cluster.manager());
        awaitChanges(client, 2 * CHANGES_BETWEEN_KILLS);
        client.kill();
        verify(files, client.lines());
      }
      first += 10_000;
    }
  }

  private void create(WeftFiles files, int file) throws IOException {
    String path = "/tmp/updated-" + file + "-" + replaced;
    CreateOptions options = CreateOptions.replacing();
    if (LAYOUTS.get(file).isPresent()) {
      options = options.withLayout(LAYOUTS.get(file).get());
    }
    files.create(WeftPath.of(path), options).close();
    paths.set(file, path);
    model.put(file, new byte[0]);
  }

  private static void awaitChanges(WeftProcess client, int count) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "no progress:\n" + client.output(),
        () -> {
          if (!client.isAlive()) {
            throw new AssertionError("the client ended by itself:\n" + client.output());
          }
          return client.lines().stream().filter(line -> line.startsWith("done ")).count() >= count;
        });
  }

  /** Replays what the dead client said, and compares. */
  private void verify(WeftFiles files, List<String> said) throws Exception {
    FileChange pending = null;
    for (String line : said) {
      if (line.startsWith("begin ")) {
        pending = FileChange.parse(line.substring("begin ".length()));
      } else if (line.startsWith("done ")) {
        model.put(pending.file(), pending.applyTo(model.get(pending.file())));
        pending = null;
        acknowledged++;
      }
    }
    for (int file = 0; file < paths.size(); file++) {
      WeftPath path = WeftPath.of(paths.get(file));
      if (!isPutInOrder(files, path)) {
        // Without a missing component it is not known yet what its last writes were.
        replaced++;
        create(files, file);
        continue;
      }
      byte[] found = read(files, path);
      byte[] before = model.get(file);
      if (pending != null && pending.file() == file) {
        assertTrue(
            pending.mayLeave(before, found),
            pending + " of " + before.length + " bytes left something else: " + found.length);
        model.put(file, found);
      } else {
        assertArrayEquals(before, found, path + " of layout " + LAYOUTS.get(file));
      }
    }
  }

  /** False if it waits for a component that is marked missing. */
  private static boolean isPutInOrder(WeftFiles files, WeftPath path) throws Exception {
    long deadline = System.nanoTime() + DEADLINE_SECONDS * 1_000_000_000L;
    while (!files.recoverLease(path)) {
      boolean waits = !files.attributes(path).map().orElseThrow().missing().isEmpty();
      if (waits) {
        return false;
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError(path + " was not put in order in " + DEADLINE_SECONDS + " s");
      }
      LockSupport.parkNanos(50_000_000);
    }
    return true;
  }

  private static byte[] read(WeftFiles files, WeftPath path) throws IOException {
    try (InputStream in = files.open(path)) {
      return in.readAllBytes();
    }
  }
}
