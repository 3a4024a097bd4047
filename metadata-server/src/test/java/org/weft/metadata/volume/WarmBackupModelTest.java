package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.backup.CopyPlaces;
import org.weft.metadata.backup.WarmOptions;
import org.weft.metadata.backup.WarmVolume;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.BeginCopyRequest;
import org.weft.protocol.wire.CopiedFrame;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.WarmCopyState;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.state.StateComparison;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/**
 * Random operations of a primary, sent to a backup in random requests. There are snapshots, marks
 * of flushed records, and copies that begin anew. Primaries of later epochs lack or have more of
 * the tail. Whenever the backup is promoted, the machine with its warm state must equal, field by
 * field, the one that an opening of its journal makes (P 6.3a).
 */
class WarmBackupModelTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final int STEPS = 400;
  private static final JournalOptions SMALL = new JournalOptions(8 << 10, 8 << 10, 4 << 20, 4_096);
  private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
  private static final byte[] SECRET = new byte[32];

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 8));
  }

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private MemorySegmentDirectory disk;
  private final BackupCopies copies =
      new BackupCopies(
          environment,
          new CopyPlaces() {
            @Override
            public JournalPlace beginCopy(CopyIdentity identity) {
              disk = new MemorySegmentDirectory(new StorageFaults());
              return new JournalPlace("copy", () -> disk, SMALL);
            }

            @Override
            public void deleteJournal(PartitionId volume) {
              throw new AssertionError("it is kept");
            }
          },
          () -> Optional.of(CLUSTER),
          SECRET,
          volume -> false,
          WarmOptions.DEFAULT);

  private SplittableRandom random;
  private RpcConnection connection;
  private TestVolume volume;
  private final List<TestClient> clients = new ArrayList<>();
  private final List<CreateReply> writing = new ArrayList<>();
  private CopyIdentity copy;
  private long attempt;
  private long sequence;
  private int sent;
  private int named;
  private long flushed;
  private long marked;
  private int promotions;
  private int snapshots;
  private int headless;
  private int closings;

  /** The live state after so many records. */
  private final NavigableMap<Integer, List<LiveEffect>> states = new TreeMap<>();

  @ParameterizedTest
  @MethodSource("seeds")
  void aWarmStateIsWhatItsJournalMakes(long seed) throws Exception {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    connect();
    begin(volume.epochs());
    enter();
    for (int step = 0; step < STEPS; step++) {
      states.put(volume.records().size(), volume.machine().snapshot());
      volume.pass(random.nextInt(100));
      switch (random.nextInt(40)) {
        case 0 -> promote();
        case 1 -> {
          int least = Math.max(1, sent - 5);
          restart(least + random.nextInt(1 + volume.records().size() - least));
        }
        case 2 -> begin(volume.epochs());
        case 3, 4 -> snapshot();
        case 5, 6 -> flushed = flushed + random.nextInt(1 + sent - (int) flushed);
        case 7, 8, 9, 10, 11 -> send(random.nextInt(1 + volume.records().size() - sent));
        default -> operate();
      }
    }
    promote();
    assertTrue(promotions > 2 && snapshots > 2 && headless > 0 && closings > 0, "seed " + seed);
  }

  private void connect() {
    RpcListener listener =
        time.await(
            wire.listen(
                    new Endpoint("backup", 7310),
                    ListenOptions.of(() -> Optional.of(CLUSTER), "backup", 0),
                    copies::handle)
                .toCompletableFuture());
    connection =
        time.await(
            wire.connect(listener.address(), ConnectOptions.to(Optional.of(CLUSTER), "primary"))
                .toCompletableFuture());
  }

  private RpcReply ask(Opcode opcode, MessageLite body) {
    return time.await(connection.call(RpcRequest.signed(opcode, body, 1_000, SECRET)));
  }

  /** A copy from the beginning, of which some is sent. */
  private void begin(long epoch) {
    copy =
        CopyIdentity.newBuilder()
            .setVolumeId(TestVolume.VOLUME.value())
            .setEpoch(epoch)
            .setAttempt(++attempt)
            .build();
    sequence = 0;
    sent = 0;
    flushed = 0;
    marked = 0;
    ask(
            Opcode.BEGIN_COPY,
            BeginCopyRequest.newBuilder().setCopy(copy).setSuperuser(TestVolume.SUPERUSER).build())
        .payload()
        .release();
    Integer covered = states.floorKey(1 + random.nextInt(volume.records().size()));
    if (random.nextBoolean() && covered != null) {
      // Older files are gone: the snapshot in a later one tells what stood in them.
      sent = random.nextInt(covered);
      flushed = sent;
      append(List.of(), covered, false);
      append(List.of(JournalEntry.ofSnapshot(last(covered), states.get(covered))), covered, false);
      headless++;
    }
    append(List.of(), sent + random.nextInt(1 + volume.records().size() - sent), false);
    append(List.of(), volume.records().size());
  }

  private void enter() throws WeftException {
    clients.clear();
    writing.clear();
    for (int number = 0; number < 3; number++) {
      clients.add(volume.client(number == 0 ? TestVolume.SUPERUSER : "user-" + number));
    }
  }

  private void operate() {
    TestClient client = clients.get(random.nextInt(clients.size()));
    String path = "/" + NAMES.get(random.nextInt(NAMES.size()));
    try {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> writing.add(clients.get(0).create(path));
        case 3, 4 -> {
          if (!writing.isEmpty()) {
            var closed =
                clients
                    .get(0)
                    .close(writing.remove(random.nextInt(writing.size())), random.nextInt(9_999));
          }
        }
        case 5 -> clients.get(0).unlink(path);
        case 6 -> clients.get(0).rename(path, "/" + NAMES.get(random.nextInt(NAMES.size())));
        case 7 -> {
          var made = clients.get(0).mkdir("/dir-" + named++);
          assertEquals(FileKind.DIRECTORY, made.getKind());
        }
        case 8 -> {
          var granted =
              client.lock(
                  new LockRange(
                      TestClient.path(path),
                      ByteString.copyFromUtf8("owner-" + random.nextInt(3)),
                      new ByteRange(random.nextInt(50), 50 + random.nextInt(50)),
                      random.nextBoolean(),
                      0,
                      false,
                      false));
        }
        default -> clients.set(1, volume.client("user-" + named++));
      }
    } catch (WeftException e) {
      assertTrue(e.getMessage().length() > 0, "it is refused, as it is to some other client");
    }
  }

  /** As a snapshot and marks go: behind what was appended. */
  private void snapshot() {
    send(volume.records().size() - sent);
    if (sent > 0) {
      snapshots++;
      append(List.of(JournalEntry.ofSnapshot(last(sent), volume.machine().snapshot())), sent);
    }
  }

  private void send(int count) {
    append(List.of(), sent + count);
  }

  private Lsn last(int count) {
    return count == 0 ? Lsn.ZERO : volume.records().get(count - 1).lsn();
  }

  private void append(List<JournalEntry> first, int upTo) {
    append(first, upTo, true);
  }

  private void append(List<JournalEntry> first, int upTo, boolean whole) {
    AppendCopyRequest.Builder request =
        AppendCopyRequest.newBuilder().setCopy(copy).setSequence(++sequence).setWhole(whole);
    first.forEach(entry -> add(request, entry));
    for (; sent < upTo; sent++) {
      add(request, JournalEntry.of(volume.records().get(sent)));
    }
    if (flushed > marked) {
      marked = flushed;
      request.setDropBelow(last((int) flushed).value());
    }
    request.setRedoFrom(last((int) marked).value());
    RpcReply reply = ask(Opcode.APPEND_COPY, request.build());
    try {
      WarmCopyState warm = reply.parse(AppendCopyReply.parser()).getWarm();
      assertTrue(warm.getPhase() != WarmCopyState.Phase.COLD, warm.getReason());
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
  }

  private static void add(AppendCopyRequest.Builder request, JournalEntry entry) {
    int left = entry.bodies().size();
    for (byte[] body : entry.bodies()) {
      left--;
      request.addFrames(
          CopiedFrame.newBuilder()
              .setLsn(entry.lsn().value())
              .setSnapshot(entry.snapshot())
              .setLast(entry.snapshot() && left == 0)
              .setBody(ByteString.copyFrom(body)));
    }
  }

  /** The backup takes over what it has; what it lacks was not acknowledged. */
  private void promote() throws Exception {
    promotions++;
    Optional<WarmVolume> taken =
        time.await(copies.takeOver(TestVolume.VOLUME.value(), volume.epochs() + 1));
    WarmVolume warm = taken.orElseThrow();
    warm.close();
    JournalContents cold;
    try (FileJournal journal =
        FileJournal.open(
            disk,
            new JournalIdentity(TestVolume.VOLUME, CLUSTER),
            time,
            new SplittableRandom(2),
            SMALL)) {
      cold = journal.contents();
    }
    assertEquals(cold.lastLsn(), warm.lastLsn());
    assertEquals(laidOver(cold.records()), laidOver(warm.redo()), "redo after " + sent);
    assertEquals(
        Optional.empty(),
        StateComparison.difference(takenOver(warm), recovered(cold)),
        "after " + sent + " records");
    restart(sent);
  }

  private VolumeMachine takenOver(WarmVolume warm) {
    VolumeMachine machine = new VolumeMachine(volume.context(), emptyCache(), warm.state());
    machine.takeOver(volume.epochs() + 1, volume.now());
    return machine;
  }

  private VolumeMachine recovered(JournalContents cold) {
    VolumeMachine machine = new VolumeMachine(volume.context(), emptyCache());
    machine.recover(cold, volume.epochs() + 1, volume.now());
    return machine;
  }

  private static MetadataCache emptyCache() {
    return new MetadataCache(2, CacheLimits.DEFAULT);
  }

  /** What of the records redo lays over what the OSDs hold. */
  private List<JournalRecord> laidOver(List<JournalRecord> records) {
    List<JournalRecord> found = new ArrayList<>();
    for (JournalRecord record : records) {
      List<Effect> effects =
          record.effects().stream().filter(WarmBackupModelTest::isLaidOver).toList();
      if (!effects.isEmpty() && record.lsn().compareTo(last((int) marked)) >= 0) {
        found.add(new JournalRecord(record.lsn(), effects));
        closings += effects.stream().anyMatch(LiveEffect.class::isInstance) ? 1 : 0;
      }
    }
    return found;
  }

  private static boolean isLaidOver(Effect effect) {
    return effect instanceof ObjectEffect
        || effect instanceof LiveEffect.GrantClosed closed && closed.completeUpTo() != 0;
  }

  /** A primary of the next epoch, whose journal ends with that record. */
  private void restart(int records) throws WeftException {
    volume = volume.restarted(records);
    states.tailMap(records, false).clear();
    begin(volume.epochs());
    enter();
  }
}
