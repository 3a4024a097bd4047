package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.WatchedScheduler;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.WarmCopyState;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** What a primary sends its backup beside the records (P 6.3a). */
class BackupStreamTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final PartitionId VOLUME = new PartitionId(7);

  private static final byte[] SECRET = new byte[32];

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final WatchedScheduler scheduler = new WatchedScheduler(time);
  private final Environment environment =
      new Environment(time, time, scheduler, new SplittableRandom(1), wire, () -> "boot");
  private final List<AppendCopyRequest> received = new ArrayList<>();
  private BackupStream stream;
  private FileJournal journal;
  private Lsn acknowledged = Lsn.ZERO;
  private boolean caughtUp;
  private boolean answers = true;
  private Runnable connects = () -> {};
  private Runnable acknowledging = () -> {};
  private final List<WeftException> lost = new ArrayList<>();
  private int index;
  private RpcListener backup;

  @BeforeEach
  void start() throws Exception {
    journal =
        FileJournal.open(
            new MemorySegmentDirectory(new StorageFaults()),
            new JournalIdentity(VOLUME, CLUSTER),
            time,
            new SplittableRandom(2),
            JournalOptions.DEFAULT);
    backup =
        time.await(
            wire.listen(
                    new Endpoint("backup", 7310),
                    ListenOptions.of(() -> Optional.of(CLUSTER), "backup", 0),
                    this::answer)
                .toCompletableFuture());
    stream = stream();
    stream.start("weft", journal::beginCopy);
    time.runUntil("the copy is whole", () -> caughtUp && !received.isEmpty());
    seconds(1);
    received.clear();
  }

  private BackupStream stream() {
    return new BackupStream(
        environment,
        scheduler.newSerialExecutor("reading"),
        () -> {
          connects.run();
          return wire.connect(backup.address(), ConnectOptions.to(Optional.of(CLUSTER), "primary"));
        },
        CopyIdentity.newBuilder().setVolumeId(7).setEpoch(1).setAttempt(1).build(),
        SECRET,
        new BackupStream.Listener() {
          @Override
          public void acknowledged(Lsn upTo) {
            acknowledged = upTo;
            acknowledging.run();
          }

          @Override
          public void caughtUp() {
            caughtUp = true;
          }

          @Override
          public void lost(WeftException why) {
            lost.add(why);
          }
        });
  }

  private void answer(InboundRequest request) {
    // Else its answers count for nothing.
    assertTrue(request.signedWith(SECRET));
    try {
      if (request.opcodeNumber() == Opcode.BEGIN_COPY.number()) {
        request.reply(Empty.getDefaultInstance());
      } else {
        received.add(request.parse(AppendCopyRequest.parser()));
        if (answers) {
          request.reply(
              AppendCopyReply.newBuilder().setWarm(WarmCopyState.getDefaultInstance()).build());
        }
      }
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
  }

  private void seconds(int count) {
    time.pass(TimeUnit.SECONDS.toNanos(count));
  }

  private void offer() {
    index++;
    LiveEffect effect = new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, index);
    stream.offer(JournalEntry.of(new JournalRecord(Lsn.of(1, index), List.of(effect))));
  }

  @Test
  void streamOfRecordsNeedsNoExtraNotices() {
    offer();
    seconds(1);
    stream.dropBelow(Lsn.of(1, 1));
    stream.tellRest();
    offer();
    seconds(1);
    assertEquals(2, received.size(), "a record does not wait for what is told without one");
    assertTrue(received.stream().allMatch(request -> request.getFramesCount() == 1));
    assertEquals(List.of(), lost);
    assertEquals(Lsn.of(1, 1).value(), received.get(1).getRedoFrom(), "it goes with the record");
  }

  @Test
  void idleStreamReportsRecordsWithoutRedo() {
    offer();
    seconds(1);
    stream.dropBelow(Lsn.of(1, 1));
    stream.tellRest();
    stream.tellRest();
    seconds(1);
    assertEquals(2, received.size());
    assertEquals(0, received.get(1).getFramesCount());
    assertEquals(Lsn.of(1, 1).value(), received.get(1).getRedoFrom());
    assertEquals(Lsn.of(1, 1), acknowledged);
  }

  /** As the volume's look does, three times a second. */
  private void look(int seconds) {
    for (int step = 0; step < 3 * seconds; step++) {
      stream.tellRest();
      time.pass(TimeUnit.MILLISECONDS.toNanos(333));
    }
  }

  /** No volume is lost with it now, but the next failure would find no backup. */
  @Test
  void idleBackupIsAskedForASignOfLifeEachSecond() {
    look(60);
    assertTrue(received.size() >= 40 && received.size() <= 60, received.size() + " in a minute");
    assertTrue(received.stream().allMatch(request -> request.getFramesCount() == 0));
    assertEquals(List.of(), lost);
    received.clear();
    for (int second = 0; second < 60; second++) {
      offer();
      look(1);
    }
    assertEquals(60, received.size(), "records are signs enough");
  }

  @Test
  void aBackupThatGivesNoSignOfLifeIsLost() {
    answers = false;
    look(5);
    assertEquals(1, lost.size());
  }

  private static void fail() {
    throw new IllegalStateException("as the test wants it");
  }

  @Test
  void aBackupThatCannotBeConnectedToAgainIsLost() {
    answers = false;
    connects = BackupStreamTest::fail;
    offer();
    seconds(3);
    assertEquals(1, lost.size(), "what waits for it would never be committed");
  }

  @Test
  void backupIsLostWhenNoThreadCanRepeatTheRequest() {
    answers = false;
    offer();
    time.runUntil("it is sent", () -> !received.isEmpty());
    scheduler.fail("reading", WatchedScheduler.Step.EXECUTE);
    seconds(5);
    assertEquals(1, lost.size(), "what waits for it would never be committed");
  }

  @Test
  void aCopyThatGetsNoThreadToReadIsLost() {
    scheduler.fail("reading", WatchedScheduler.Step.EXECUTE);
    stream().start("weft", journal::beginCopy);
    seconds(5);
    assertEquals(1, lost.size(), "its turn would never be given back");
  }

  @Test
  void backupWithAnUnreadableAnswerIsLost() {
    acknowledging = BackupStreamTest::fail;
    offer();
    seconds(3);
    assertEquals(1, lost.size(), "what waits for it would never be committed");
  }
}
