package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.LayoutWish;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;
import org.weft.it.process.WeftCli;
import org.weft.metadata.OfflineCheck;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.LookedAtFiles;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.UnwrittenJournal;
import org.weft.metadata.objects.CacheLimits;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;

/**
 * {@code weft volume check --offline} on real daemons whose managers were killed (P 6.8d): it finds
 * what the online check finds, leaves the data directories as they are to the byte, and is void
 * once a manager has taken the volume up.
 */
class OfflineCheckTest {
  private static final int OSDS = 4;
  private static final int UNIT = 64 << 10;
  private static final int EXIT_FOUND = 12;
  private static final long DEADLINE_SECONDS = 60;
  private static final int MOST_ATTEMPTS = 5;
  private static final LayoutWish WIDE = LayoutWish.of(2, 1, UNIT);
  private static final LayoutWish MIRROR = LayoutWish.of(1, 1, UNIT);
  private static final WeftPath WITHOUT_COMPONENT = WeftPath.of("/tmp/without-component");
  private static final WeftPath WITH_WRONG_UNIT = WeftPath.of("/tmp/with-wrong-unit");
  private static final WeftPath GONE = WeftPath.of("/tmp/gone");
  private static final WeftPath LATE = WeftPath.of("/tmp/late");

  @TempDir Path scratch;

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    return content;
  }

  private static void write(WeftFiles files, WeftPath path, LayoutWish layout, int length)
      throws IOException {
    try (WeftOutputStream out = files.create(path, CreateOptions.newFile().withLayout(layout))) {
      out.write(content(length));
    }
  }

  private static List<StoreHarm> harms(WeftFiles files) throws IOException {
    FileStatus gone = files.attributes(GONE);
    StorageMap map = gone.map().orElseThrow();
    SortedSet<OsdId> holders = new TreeSet<>(map.components());
    holders.addAll(map.attributeOsds());
    List<StoreHarm> all = new ArrayList<>();
    holders.forEach(osd -> all.add(new StoreHarm(gone, osd, true)));
    for (WeftPath path : List.of(WITHOUT_COMPONENT, WITH_WRONG_UNIT)) {
      FileStatus file = files.attributes(path);
      OsdId osd = file.map().orElseThrow().components().get(0);
      all.add(new StoreHarm(file, osd, path.equals(WITHOUT_COMPONENT)));
    }
    return all;
  }

  /** The digest of each file below the folder. */
  private static SortedMap<String, String> digests(Path folder) throws Exception {
    SortedMap<String, String> all = new TreeMap<>();
    try (Stream<Path> entries = Files.walk(folder)) {
      for (Path file : entries.toList()) {
        String name = folder.relativize(file).toString();
        all.put(
            name,
            Files.isDirectory(file)
                ? "folder"
                : HexFormat.of()
                    .formatHex(
                        MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file))));
      }
    }
    return all;
  }

  /** As a crash between a write and its end leaves it. */
  private static void tear(Path data) throws IOException {
    Optional<Path> newest;
    try (Stream<Path> entries = Files.walk(data)) {
      newest =
          entries
              .filter(file -> file.getFileName().toString().startsWith("journal-"))
              .max((one, other) -> one.getFileName().compareTo(other.getFileName()));
    }
    Files.write(newest.orElseThrow(), content(300), StandardOpenOption.APPEND);
  }

  /** "kind path" of each finding. */
  private static SortedSet<String> found(String lines) throws IOException {
    SortedSet<String> all = new TreeSet<>();
    for (String line : lines.lines().filter(each -> each.startsWith("{")).toList()) {
      JsonNode node = new ObjectMapper().readTree(line);
      if (node.has("nextStep")) {
        all.add(node.get("kind").asText() + " " + node.get("path").asText());
      }
    }
    // Some components are copies of attributes as well.
    all.remove("attributes-absent " + WITHOUT_COMPONENT);
    return all;
  }

  private static void awaitFound(SortedSet<String> wanted, WeftCli cli, String... arguments)
      throws Exception {
    AtomicReference<String> last = new AtomicReference<>("");
    Await.until(
        DEADLINE_SECONDS,
        () -> wanted + " by " + String.join(" ", arguments) + ": " + last.get(),
        () -> {
          // An OSD that is not back yet is not asked.
          WeftCli.Result result = cli.tryRun(arguments);
          last.set(result.output());
          return result.exitCode() == EXIT_FOUND && found(result.output()).equals(wanted);
        });
  }

  private static Path token(DaemonCluster cluster) {
    return cluster.dataOf(cluster.sysmgr()).resolve("join-token");
  }

  private static String[] offline(DaemonCluster cluster, int manager) {
    return new String[] {
      "volume",
      "check",
      "/",
      "--offline",
      "--parity",
      "--json",
      "--data",
      cluster.dataOf(cluster.manager(manager)).toString(),
      "--join-token",
      token(cluster).toString()
    };
  }

  /**
   * Until all of it is under checkpoints of OSDs: what the journal's tail tells of a file counts as
   * brought to OSDs, whatever they have lost since.
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
        DEADLINE_SECONDS,
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

  private static void fill(WeftFiles files) throws IOException {
    for (int number = 0; number < 40; number++) {
      WeftPath directory = WeftPath.of("/tmp/dir-" + number % 4);
      var unused = files.mkdirs(directory, 0755);
      write(files, directory.child("made-" + number), MIRROR, 1 + number * 100);
      if (number % 3 == 0) {
        files.rename(directory.child("made-" + number), directory.child("moved-" + number), false);
      } else if (number % 3 == 1) {
        files.unlink(directory.child("made-" + number));
      }
    }
    write(files, LATE, WIDE, 200_000);
  }

  @Test
  void whatIsWrongIsNamedAsOnlineAndNoByteOfTheDirectoryChanges() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      WeftCli cli = cluster.cli();
      Path data = cluster.dataOf(cluster.manager(1));
      List<StoreHarm> harms;
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "check", system, callbacks)) {
        WeftFiles files = client.files();
        write(files, WITHOUT_COMPONENT, WIDE, 300_000);
        write(files, WITH_WRONG_UNIT, WIDE, 300_001);
        write(files, GONE, MIRROR, 5_000);
        harms = harms(files);
        awaitNotInTail(data, harms);
        fill(files);
        WeftCli.Result served = cli.tryRun(offline(cluster, 1));
        assertTrue(served.exitCode() != 0 && served.output().contains("in use"), served::output);
        DaemonCluster.kill(cluster.manager(1));
      }
      StoreHarm.toAll(cluster, harms, system);
      tear(data);
      SortedMap<String, String> before = digests(data);
      SortedSet<String> wanted =
          new TreeSet<>(
              List.of(
                  "component-absent " + WITHOUT_COMPONENT,
                  // What is absent reads as zeros.
                  "parity-differs " + WITHOUT_COMPONENT,
                  "name-without-object " + GONE,
                  "parity-differs " + WITH_WRONG_UNIT));
      awaitFound(wanted, cli, offline(cluster, 1));
      assertEquals(before, digests(data), "nothing in the directory has changed");
      cluster.manager(1).start();
      awaitFound(wanted, cli, "volume", "check", "/", "--parity", "--json");
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "after", system, callbacks);
          WeftInputStream in = client.files().open(LATE)) {
        assertArrayEquals(content(200_000), in.readAllBytes());
      }
    }
  }

  private static OfflineCheck begin(DaemonCluster cluster, int manager, SystemEnvironment system)
      throws IOException {
    return OfflineCheck.begin(
        new OfflineCheck.Wanted(
            cluster.dataOf(cluster.manager(manager)),
            List.of(new Endpoint("127.0.0.1", cluster.port())),
            Files.readString(token(cluster)).trim().getBytes(StandardCharsets.US_ASCII),
            "/",
            false,
            CacheLimits.DEFAULT),
        system.environment());
  }

  private static CheckStatusReply ended(OfflineCheck check) throws Exception {
    AtomicReference<CheckStatusReply> last = new AtomicReference<>();
    Await.until(
        DEADLINE_SECONDS,
        () -> "the check ends: " + last.get(),
        () -> {
          last.set(check.status(0, 100));
          return last.get().getState() != CheckState.CHECK_RUNNING;
        });
    return last.get();
  }

  @Test
  void aManagerThatTakesTheVolumeUpMakesTheResultVoidAndTheOldJournalIsRefused() throws Exception {
    boolean played = false;
    for (int attempt = 1; !played && attempt <= MOST_ATTEMPTS; attempt++) {
      played = isPlayed(Files.createDirectories(scratch.resolve("attempt-" + attempt)));
    }
    assertTrue(played, "each time SysMgr gave the volume to the backup that was being killed");
  }

  /** False if SysMgr has given the volume to the backup before it knew that this is dead, too. */
  private boolean isPlayed(Path folder) throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(folder, OSDS, 2);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "fill", system, callbacks)) {
        fill(client.files());
      }
      int primary = cluster.status().awaitPair(DEADLINE_SECONDS);
      int backup = 3 - primary;
      DaemonCluster.kill(cluster.manager(primary));
      DaemonCluster.kill(cluster.manager(backup));
      SortedMap<String, String> before = digests(cluster.dataOf(cluster.manager(backup)));
      try (OfflineCheck check = begin(cluster, backup, system)) {
        CheckStatusReply ended = ended(check);
        if (ended.getDoing().contains("has gone from epoch")) {
          return false;
        }
        assertEquals(CheckState.CHECK_DONE, ended.getState(), ended::toString);
        assertEquals(0, ended.getFindings(), ended::toString);
      }
      assertEquals(before, digests(cluster.dataOf(cluster.manager(backup))), "the backup's");
      try (OfflineCheck check = begin(cluster, primary, system)) {
        cluster.manager(backup).start();
        Await.until(
            DEADLINE_SECONDS,
            () -> "manager-" + backup + " serves",
            () -> cluster.cli().tryRun("fs", "ls", "/tmp").exitCode() == 0);
        CheckStatusReply ended = ended(check);
        assertEquals(CheckState.CHECK_FAILED, ended.getState(), ended::toString);
        assertTrue(ended.getDoing().contains("void"), ended::toString);
      }
      DaemonCluster.kill(cluster.manager(backup));
      RpcException old = assertThrows(RpcException.class, () -> begin(cluster, primary, system));
      assertEquals(ErrorCode.FENCED, old.code(), old::getMessage);
      assertTrue(old.getMessage().contains("manager-" + backup), old::getMessage);
      return true;
    }
  }
}
