package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.metadata.OfflineCheck;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.LookedAtFiles;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.UnwrittenJournal;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/**
 * {@code weft volume check --offline} on real daemons whose managers were killed (P 6.8d). It finds
 * what the online check finds, and leaves the data directories as they are to the byte. It is void
 * once a manager has taken the volume up.
 */
@Tag("long")
class OfflineCheckTest {
  private static final int OSDS = 4;

  @TempDir Path scratch;

  /** As a crash between a write and its end leaves it. */
  private static void tear(Path data) throws IOException {
    Optional<Path> newest;
    try (Stream<Path> entries = Files.walk(data)) {
      newest =
          entries
              .filter(file -> file.getFileName().toString().startsWith("journal-"))
              .max((one, other) -> one.getFileName().compareTo(other.getFileName()));
    }
    Files.write(newest.orElseThrow(), HarmedVolume.content(300), StandardOpenOption.APPEND);
  }

  /**
   * Waits until all of it is under checkpoints of OSDs. The journal's tail counts as brought to
   * OSDs, whatever they have lost since.
   */
  private static void awaitNotInTail(Path data, List<StoreHarm> harms) throws Exception {
    Properties manager = new Properties();
    try (InputStream in = Files.newInputStream(data.resolve("manager.properties"))) {
      manager.load(in);
    }
    JournalIdentity identity =
        new JournalIdentity(new PartitionId(1), new ClusterId(manager.getProperty("cluster")));
    Path journal = data.resolve("volume-1");
    Set<ObjectId> harmed =
        harms.stream()
            .map(each -> new ObjectId(each.file().objectId()))
            .collect(Collectors.toSet());
    Await.until(
        HarmedVolume.DEADLINE_SECONDS,
        () -> "the journal's tail tells nothing of " + harmed,
        () -> {
          try {
            return UnwrittenJournal.look(
                    new LookedAtFiles("the journal", new FileSegmentDirectory(journal)), identity)
                .contents()
                .records()
                .stream()
                .flatMap(record -> record.effects().stream())
                .noneMatch(
                    effect -> effect instanceof ObjectEffect one && harmed.contains(one.object()));
          } catch (IOException e) {
            // The manager writes and deletes its files meanwhile.
            return false;
          }
        });
  }

  @Test
  void offlineCheckReportsLikeTheOnlineOneAndChangesNothing() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      WeftCli cli = cluster.cli();
      Path data = cluster.dataOf(cluster.manager(1));
      List<StoreHarm> harms;
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "check", system, callbacks)) {
        WeftFiles files = client.files();
        HarmedVolume.make(files);
        harms = HarmedVolume.harms(files);
        awaitNotInTail(data, harms);
        OfflineChecked.fill(files);
        WeftCli.Result served = cli.tryRun(OfflineChecked.arguments(cluster, 1, false));
        assertTrue(served.exitCode() != 0 && served.output().contains("in use"), served::output);
        DaemonCluster.kill(cluster.manager(1));
      }
      StoreHarm.toAll(cluster, harms, system);
      tear(data);
      SortedMap<String, String> before = OfflineChecked.digests(data);
      HarmedVolume.awaitFound(cli, OfflineChecked.arguments(cluster, 1, false));
      assertEquals(before, OfflineChecked.digests(data), "nothing in the directory has changed");
      cluster.manager(1).start();
      HarmedVolume.awaitFound(cli, "volume", "check", "/", "--parity", "--json");
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "after", system, callbacks);
          WeftInputStream in = client.files().open(OfflineChecked.LATE)) {
        assertArrayEquals(HarmedVolume.content(OfflineChecked.LATE_BYTES), in.readAllBytes());
      }
    }
  }

  private static OfflineCheck begin(DaemonCluster cluster, int manager, SystemEnvironment system)
      throws IOException {
    return OfflineCheck.begin(
        new OfflineCheck.Wanted(
            cluster.dataOf(cluster.manager(manager)),
            List.of(new Endpoint("127.0.0.1", cluster.port())),
            Files.readString(OfflineChecked.token(cluster))
                .trim()
                .getBytes(StandardCharsets.US_ASCII),
            "/",
            false,
            CacheLimits.DEFAULT),
        system.environment());
  }

  private static CheckStatusReply ended(OfflineCheck check) throws Exception {
    AtomicReference<CheckStatusReply> last = new AtomicReference<>();
    Await.until(
        HarmedVolume.DEADLINE_SECONDS,
        () -> "the check ends: " + last.get(),
        () -> {
          last.set(check.status(0, 100));
          return last.get().getState() != CheckState.CHECK_RUNNING;
        });
    return last.get();
  }

  @Test
  void checkIsVoidWhenAManagerTakesTheVolume() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 2);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "fill", system, callbacks)) {
        OfflineChecked.fill(client.files());
      }
      int primary = cluster.status().awaitPair(HarmedVolume.DEADLINE_SECONDS);
      int backup = 3 - primary;
      // At once: SysMgr hears the backup no more when the lease of the primary is over.
      DaemonCluster.kill(List.of(cluster.manager(primary), cluster.manager(backup)));
      SortedMap<String, String> before =
          OfflineChecked.digests(cluster.dataOf(cluster.manager(backup)));
      try (OfflineCheck check = begin(cluster, backup, system)) {
        CheckStatusReply ended = ended(check);
        assertEquals(CheckState.CHECK_DONE, ended.getState(), ended::toString);
        assertEquals(0, ended.getFindings(), ended::toString);
      }
      assertEquals(
          before, OfflineChecked.digests(cluster.dataOf(cluster.manager(backup))), "the backup's");
      try (OfflineCheck check = begin(cluster, primary, system)) {
        cluster.manager(backup).start();
        Await.until(
            HarmedVolume.DEADLINE_SECONDS,
            () -> "manager-" + backup + " serves",
            () -> cluster.cli().tryRun("fs", "ls", "/tmp").exitCode() == 0);
        CheckStatusReply ended = ended(check);
        assertEquals(CheckState.CHECK_FAILED, ended.getState(), ended::toString);
        assertTrue(ended.getDoing().contains("void"), ended::toString);
      }
      DaemonCluster.kill(cluster.manager(backup));
      WeftException old = assertThrows(WeftException.class, () -> begin(cluster, primary, system));
      assertEquals(ErrorCode.FENCED, old.code(), old::getMessage);
      assertTrue(old.getMessage().contains("manager-" + backup), old::getMessage);
    }
  }
}
