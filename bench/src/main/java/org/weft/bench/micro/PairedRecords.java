package org.weft.bench.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.weft.bench.disk.CountedSegmentDirectory;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.backup.BackupLinks;
import org.weft.metadata.backup.CopyPlaces;
import org.weft.metadata.backup.CopyTurns;
import org.weft.metadata.backup.KnownManagers;
import org.weft.metadata.backup.PairReports;
import org.weft.metadata.backup.PairStatus;
import org.weft.metadata.backup.Pairing;
import org.weft.metadata.backup.ReplicatedJournal;
import org.weft.metadata.backup.WarmOptions;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.journal.JournalRecord;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.SetBackupRequest;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What the records of files that are made cost a primary and its backup (P 5.2). That is the
 * journals, the messages between them and the warm state, without clients, OSDs and SysMgr. CPU is
 * that of Java's own threads, by name: what compilers and collectors take is not in it.
 */
@Command(
    name = "paired-records",
    mixinStandardHelpOptions = true,
    description = "Measures CPU and syncs for each record, with a backup and without.")
public final class PairedRecords implements Callable<Integer> {
  private static final Duration MAX_JOINING = Duration.ofMinutes(1);
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final PartitionId VOLUME = new PartitionId(1);
  private static final byte[] SECRET = new byte[32];
  private static final int PER_DIRECTORY = 1_000;
  private static final int KEPT_RECORDS = 2_000;
  private static final int MAX_BODY_BYTES = 2 << 20;
  private static final double NANOS_OF_MICRO = 1e3;

  @Option(names = "--files", defaultValue = "10000", description = "Files (${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--together",
      split = ",",
      defaultValue = "1,8",
      description = "Records that wait at a time (${DEFAULT-VALUE}).")
  private List<Integer> together;

  @Option(names = "--reps", defaultValue = "3", description = "That count (${DEFAULT-VALUE}).")
  private int reps;

  @Option(names = "--dir", required = true, description = "A folder for the journals.")
  private Path dir;

  private final List<JournalRecord> records = new ArrayList<>();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new PairedRecords()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    BenchedVolume volume = new BenchedVolume();
    volume.listen(records::add);
    for (int file = 0; file < files; file++) {
      String directory = "dir-" + file / PER_DIRECTORY;
      if (file % PER_DIRECTORY == 0) {
        volume.makeDirectory(directory);
      }
      var unused = volume.create(directory, "file-" + file);
    }
    for (int count : together) {
      var unusedPair = run(true, count);
      var unusedAlone = run(false, count);
      for (int rep = 0; rep < reps; rep++) {
        System.out.println(count + " together, with a backup: " + run(true, count));
        System.out.println(count + " together, alone:         " + run(false, count));
      }
    }
    return 0;
  }

  private String run(boolean paired, int count) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(dir, "paired-records");
    AtomicLong here = new AtomicLong();
    AtomicLong there = new AtomicLong();
    try (SystemEnvironment primary = SystemEnvironment.create();
        SystemEnvironment other = SystemEnvironment.create();
        OwnedExecutor home = primary.environment().scheduler().newSerialExecutor("pairing");
        OwnedExecutor reading = primary.environment().scheduler().newPool("copy", 1, 100);
        BackupCopies copies = copies(other, folder.resolve("backup"), there);
        ReplicatedJournal journal =
            new ReplicatedJournal(
                place(folder.resolve("primary"), here)
                    .open(new JournalIdentity(VOLUME, CLUSTER), primary.environment()))) {
      RpcListener listener =
          other
              .environment()
              .transport()
              .listen(
                  new Endpoint("127.0.0.1", 0),
                  new ListenOptions(
                      () -> Optional.of(CLUSTER), "backup", 0, MAX_BODY_BYTES, 0, 16L << 20),
                  copies::handle)
              .toCompletableFuture()
              .join();
      Pairing pairing = paired ? pair(primary, home, reading, journal, listener.address()) : null;
      Map<String, Long> before = cpuNanos();
      long syncsHere = here.get();
      long syncsThere = there.get();
      long beganNanos = System.nanoTime();
      append(journal, count);
      double seconds = (System.nanoTime() - beganNanos) / 1e9;
      String said =
          String.format(
              Locale.ROOT,
              "%.0f records/s, syncs %.3f and %.3f, CPU us%s",
              records.size() / seconds,
              (here.get() - syncsHere) / (double) records.size(),
              (there.get() - syncsThere) / (double) records.size(),
              spent(before));
      if (pairing != null) {
        home.execute(pairing::close);
      }
      listener.close();
      return said;
    } finally {
      try (Stream<Path> all = Files.walk(folder)) {
        all.sorted(Comparator.reverseOrder()).forEach(PairedRecords::delete);
      }
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JournalPlace place(Path folder, AtomicLong syncs) {
    return new JournalPlace(
        folder.toString(),
        () -> {
          Files.createDirectories(folder);
          return new CountedSegmentDirectory(new FileSegmentDirectory(folder), syncs);
        },
        JournalOptions.DEFAULT);
  }

  private static BackupCopies copies(SystemEnvironment system, Path folder, AtomicLong syncs) {
    CopyPlaces places =
        new CopyPlaces() {
          @Override
          public JournalPlace beginCopy(CopyIdentity identity) {
            return place(folder.resolve("copy-" + identity.getAttempt()), syncs);
          }

          @Override
          public void deleteJournal(PartitionId volume) {
            throw new IllegalStateException("no volume goes here");
          }
        };
    return new BackupCopies(
        system.environment(),
        places,
        () -> Optional.of(CLUSTER),
        SECRET,
        volume -> false,
        WarmOptions.DEFAULT);
  }

  private static Pairing pair(
      SystemEnvironment system,
      OwnedExecutor home,
      OwnedExecutor reading,
      ReplicatedJournal journal,
      Endpoint backup)
      throws IOException {
    ClusterTable table =
        ClusterTable.newBuilder()
            .addManagers(
                ManagerRow.newBuilder()
                    .setManagerId(2)
                    .setState(NodeState.UP)
                    .addAddresses(backup.toMessage()))
            .build();
    Pairing pairing =
        new Pairing(
            new Pairing.Terms(VOLUME.value(), 1, 1, 0, true, BenchedVolume.USER),
            new BackupLinks(
                system.environment(),
                reading,
                new CopyTurns(1),
                () -> Optional.of(CLUSTER),
                "primary",
                SECRET),
            new PairReports() {
              @Override
              public CompletableFuture<Void> setBackup(SetBackupRequest request) {
                return CompletableFuture.completedFuture(null);
              }

              @Override
              public CompletableFuture<Void> handOver(HandOverRequest request) {
                return CompletableFuture.completedFuture(null);
              }
            },
            new KnownManagers(() -> table, Set::of),
            home,
            why -> {
              throw new IllegalStateException(why);
            });
    home.execute(
        () -> {
          var unused = pairing.settle(journal);
          pairing.begin();
        });
    PolledWait wait = PolledWait.every(Duration.ofMillis(10)).atMost(MAX_JOINING);
    if (!wait.until(() -> pairing.status().state() == PairStatus.State.IN_STEP)) {
      throw new IllegalStateException("the backup has no copy: " + pairing.status());
    }
    return pairing;
  }

  private void append(ReplicatedJournal journal, int count) {
    Semaphore room = new Semaphore(count);
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (int at = 0; at < records.size(); at++) {
      room.acquireUninterruptibly();
      if (at % KEPT_RECORDS == 0 && at > KEPT_RECORDS) {
        journal.dropBelow(records.get(at - KEPT_RECORDS).lsn());
      }
      var unused =
          journal
              .append(records.get(at))
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      failed.completeExceptionally(failure);
                    }
                    room.release();
                  });
    }
    room.acquireUninterruptibly(count);
    var unused = failed.getNow(null);
  }

  /** Of each kind of thread; those of wires and journals count twice where there are two. */
  private static Map<String, Long> cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Map<String, Long> found = new TreeMap<>();
    for (long id : threads.getAllThreadIds()) {
      var info = threads.getThreadInfo(id);
      long nanos = threads.getThreadCpuTime(id);
      if (info != null && nanos > 0) {
        found.merge(
            info.getThreadName().replaceAll("-[0-9]+-[0-9]+$|-[0-9]+$", ""), nanos, Long::sum);
      }
    }
    return found;
  }

  private String spent(Map<String, Long> before) {
    StringBuilder said = new StringBuilder();
    double all = 0;
    for (Map.Entry<String, Long> now : cpuNanos().entrySet()) {
      double micros =
          (now.getValue() - before.getOrDefault(now.getKey(), 0L))
              / NANOS_OF_MICRO
              / records.size();
      all += micros;
      if (micros > 0.1) {
        said.append(String.format(Locale.ROOT, ", %s %.1f", now.getKey(), micros));
      }
    }
    return String.format(Locale.ROOT, " %.1f in all", all) + said;
  }
}
