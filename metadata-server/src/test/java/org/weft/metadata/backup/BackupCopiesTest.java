package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.metadata.WatchedScheduler;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalPlace;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
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
import org.weft.protocol.wire.WarmCopyState;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** What a backup writes of another manager's journal, and what it refuses (P 6.1, 6.2). */
class BackupCopiesTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final PartitionId VOLUME = new PartitionId(7);
  private static final CopyIdentity COPY =
      CopyIdentity.newBuilder().setVolumeId(7).setEpoch(1).setAttempt(1).build();

  private static final long BUDGET = 64 << 10;
  private static final int SEGMENT_BYTES = 1 << 20;

  /** Its queue has room for two records. */
  private static final JournalOptions NARROW =
      new JournalOptions(SEGMENT_BYTES, SEGMENT_BYTES, 2 * JournalLog.MAX_RECORD_BYTES, 2);

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final WatchedScheduler scheduler = new WatchedScheduler(time);
  private final Environment environment =
      new Environment(time, time, scheduler, new SplittableRandom(1), wire, () -> "boot");
  private final byte[] secret = new byte[32];
  private final StorageFaults faults = new StorageFaults();
  private MemorySegmentDirectory disk;
  private final CopyPlaces places =
      new CopyPlaces() {
        @Override
        public JournalPlace beginCopy(CopyIdentity identity) {
          disk = new MemorySegmentDirectory(faults);
          return new JournalPlace("copy", () -> disk, NARROW);
        }

        @Override
        public void deleteJournal(PartitionId volume) {
          throw new AssertionError("it is kept");
        }
      };
  private final BackupCopies copies =
      new BackupCopies(
          environment,
          places,
          () -> Optional.of(CLUSTER),
          secret,
          volume -> false,
          new WarmOptions(BUDGET, Optional.of((warm, cold) -> {})));
  private RpcConnection primary;

  @BeforeEach
  void connect() {
    Endpoint address = new Endpoint("backup", 7310);
    RpcListener listener =
        time.await(
            wire.listen(
                    address,
                    ListenOptions.of(() -> Optional.of(CLUSTER), "backup", 0),
                    copies::handle)
                .toCompletableFuture());
    primary =
        time.await(
            wire.connect(listener.address(), ConnectOptions.to(Optional.of(CLUSTER), "primary"))
                .toCompletableFuture());
  }

  private CompletableFuture<RpcReply> ask(Opcode opcode, MessageLite body) {
    return primary.call(RpcRequest.signed(opcode, body, 1_000, secret));
  }

  private CompletableFuture<RpcReply> append(long sequence, int first, int last) {
    AppendCopyRequest.Builder request =
        AppendCopyRequest.newBuilder().setCopy(COPY).setSequence(sequence);
    for (int index = first; index <= last; index++) {
      JournalEntry entry =
          JournalEntry.of(
              new JournalRecord(
                  Lsn.of(1, index),
                  List.of(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, index))));
      request.addFrames(
          CopiedFrame.newBuilder()
              .setLsn(entry.lsn().value())
              .setBody(ByteString.copyFrom(entry.bodies().get(0))));
    }
    return ask(Opcode.APPEND_COPY, request.build());
  }

  private ErrorCode failure(CompletableFuture<RpcReply> call) {
    time.runUntil("it is answered", call::isDone);
    return WeftException.of(assertThrows(CompletionException.class, call::join)).code();
  }

  private List<Lsn> onDisk() throws Exception {
    assertEquals(Optional.empty(), time.await(copies.takeOver(VOLUME.value(), 2)));
    try (FileJournal journal =
        FileJournal.open(
            disk, new JournalIdentity(VOLUME, CLUSTER), time, new SplittableRandom(2), NARROW)) {
      return journal.contents().records().stream().map(JournalRecord::lsn).toList();
    }
  }

  @Test
  void noRecordFollowsARefusedWrite() throws Exception {
    time.await(ask(Opcode.BEGIN_COPY, BeginCopyRequest.newBuilder().setCopy(COPY).build()));
    time.await(append(1, 1, 1));
    assertEquals(ErrorCode.NOT_FOUND, failure(append(2, 2, 6)), "the queue has room for two");
    assertEquals(ErrorCode.NOT_FOUND, failure(append(2, 2, 6)), "the copy is given up");
    assertEquals(ErrorCode.NOT_FOUND, failure(append(3, 7, 7)), "nor does anything follow");
    List<Lsn> written = onDisk();
    assertEquals(Lsn.of(1, 1), written.get(0));
    for (int index = 0; index < written.size(); index++) {
      assertEquals(Lsn.of(1, index + 1), written.get(index), "there is a hole in " + written);
    }
  }

  @Test
  void noRecordFollowsAFailedWrite() throws Exception {
    time.await(ask(Opcode.BEGIN_COPY, BeginCopyRequest.newBuilder().setCopy(COPY).build()));
    long before = copies.changes();
    time.await(append(1, 1, 2));
    assertEquals(before + 1, copies.changes(), "the directory holds more");
    disk.limitBytes(0);
    CompletableFuture<RpcReply> large = ask(Opcode.APPEND_COPY, large(2, 3));
    time.runUntil("it is answered", large::isDone);
    assertEquals(true, large.isCompletedExceptionally());
    disk.limitBytes(1L << 40);
    assertEquals(ErrorCode.NOT_FOUND, failure(append(3, 4, 4)));
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
  }

  /** SysMgr would note a change of the directory every few seconds, for ever. */
  @Test
  void aSignOfLifeIsNoChangeOfTheDirectory() {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 1)).payload().release();
    long before = copies.changes();
    time.await(append(2, 2, 1)).payload().release();
    assertEquals(before, copies.changes());
  }

  @Test
  void aCopyWhoseJournalHasFailedGivesNoSignOfLife() {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 1)).payload().release();
    faults.failWhere(operation -> operation.kind() == StorageFaults.Kind.FILE_WRITE, "no space");
    CompletableFuture<RpcReply> written = append(2, 2, 2);
    time.runUntil("it is answered", written::isDone);
    assertTrue(written.isCompletedExceptionally());
    assertEquals(ErrorCode.NOT_FOUND, failure(append(3, 3, 2)));
  }

  @Test
  void errorInAnAppendIsAnsweredAndEndsTheCopy() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 1)).payload().release();
    scheduler.fail("journal-", WatchedScheduler.Step.EXECUTE);
    assertEquals(ErrorCode.INTERNAL, failure(append(2, 2, 2)));
    scheduler.fail("journal-", WatchedScheduler.Step.NONE);
    assertEquals(ErrorCode.NOT_FOUND, failure(append(2, 2, 2)), "it is not taken for a repeat");
    assertEquals(List.of(Lsn.of(1, 1)), onDisk());
    assertEquals(1, scheduler.endedTasks());
  }

  @Test
  void noRecordIsWrittenBehindAGap() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    assertEquals(ErrorCode.NOT_FOUND, failure(append(2, 4, 5)), "the primary begins another copy");
    assertEquals(ErrorCode.NOT_FOUND, failure(append(3, 3, 3)), "nor does anything follow");
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
  }

  /** Records of the next epoch, and a snapshot, follow what they are to follow. */
  @Test
  void copyContinuesAcrossEpochsAndSnapshots() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 5, 6)).payload().release();
    AppendCopyRequest.Builder next =
        AppendCopyRequest.newBuilder().setCopy(COPY).setSequence(2).setWhole(true);
    next.addFrames(frame(Lsn.of(1, 6), true)).addFrames(frame(Lsn.of(3, 1), false));
    time.await(ask(Opcode.APPEND_COPY, next.build())).payload().release();
    AppendCopyRequest early =
        AppendCopyRequest.newBuilder()
            .setCopy(COPY)
            .setSequence(3)
            .addFrames(frame(Lsn.of(3, 2), true))
            .build();
    assertEquals(ErrorCode.NOT_FOUND, failure(ask(Opcode.APPEND_COPY, early)));
    assertEquals(List.of(Lsn.of(3, 1)), onDisk(), "the snapshot stands for those before it");
  }

  private static CopiedFrame frame(Lsn lsn, boolean snapshot) {
    LiveEffect effect = new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, lsn.index());
    JournalEntry entry =
        snapshot
            ? JournalEntry.ofSnapshot(lsn, List.of(effect))
            : JournalEntry.of(new JournalRecord(lsn, List.of(effect)));
    return CopiedFrame.newBuilder()
        .setLsn(lsn.value())
        .setSnapshot(snapshot)
        .setLast(snapshot)
        .setBody(ByteString.copyFrom(entry.bodies().get(0)))
        .build();
  }

  @Test
  void aCopyWhoseClosingFailsIsOpenedByItsFiles() throws Exception {
    begin(BeginCopyRequest.newBuilder());
    time.await(append(1, 1, 2)).payload().release();
    scheduler.fail("journal-", WatchedScheduler.Step.CLOSE);
    assertEquals(ErrorCode.INTERNAL, failureOf(copies.takeOver(VOLUME.value(), 2)));
    assertEquals(1, scheduler.failures());
    scheduler.fail("journal-", WatchedScheduler.Step.NONE);
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
  }

  @Test
  void copyWithAStuckWarmStateIsReopenedFromItsFiles() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    faults.failWhere(operation -> operation.kind() == StorageFaults.Kind.FILE_WRITE, "no space");
    AppendCopyRequest mark =
        AppendCopyRequest.newBuilder()
            .setCopy(COPY)
            .setSequence(2)
            .setDropBelow(Lsn.of(1, 2).value())
            .build();
    time.await(ask(Opcode.APPEND_COPY, mark)).payload().release();
    time.pass(TimeUnit.SECONDS.toNanos(1));
    faults.failWhere(operation -> false, "none");
    scheduler.fail("warm", WatchedScheduler.Step.EXECUTE);
    assertEquals(ErrorCode.INTERNAL, failureOf(copies.takeOver(VOLUME.value(), 2)));
    scheduler.fail("warm", WatchedScheduler.Step.NONE);
    assertEquals(List.of(), scheduler.open("journal-"), "it is not opened beside another");
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
  }

  @Test
  void aTakeOverThatGetsNoThreadIsGivenLater() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    whole(1, 1, 2);
    CompletableFuture<Optional<WarmVolume>> taken = copies.takeOver(VOLUME.value(), 2);
    scheduler.fail("copies", WatchedScheduler.Step.EXECUTE);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertTrue(scheduler.failures() > 0, "nothing failed");
    assertEquals(ErrorCode.INTERNAL, failureOf(copies.takeOver(VOLUME.value(), 3)));
    assertFalse(taken.isDone(), "its journal is open still");
    scheduler.fail("copies", WatchedScheduler.Step.NONE);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertTrue(taken.isDone(), "a volume waits for it for ever");
    try (WarmVolume warm = taken.join().orElseThrow()) {
      assertEquals(Lsn.of(1, 2), warm.lastLsn());
    }
  }

  private ErrorCode failureOf(CompletableFuture<Optional<WarmVolume>> taken) {
    time.pass(TimeUnit.MINUTES.toNanos(1));
    assertTrue(taken.isDone(), "a volume waits for it for ever");
    return WeftException.of(assertThrows(CompletionException.class, taken::join)).code();
  }

  private void begin(BeginCopyRequest.Builder begin) {
    time.await(ask(Opcode.BEGIN_COPY, begin.setCopy(COPY).build())).payload().release();
  }

  private WarmCopyState warm(RpcReply reply) throws WeftException {
    return reply.parse(AppendCopyReply.parser()).getWarm();
  }

  @Test
  void durableRecordsAreWarmOnceTheCopyIsComplete() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    assertEquals(
        WarmCopyState.Phase.FILLING, warm(time.await(append(1, 1, 2))).getPhase(), "part of it");
    AppendCopyRequest rest =
        AppendCopyRequest.newBuilder().setCopy(COPY).setSequence(2).setWhole(true).build();
    time.await(ask(Opcode.APPEND_COPY, rest)).payload().release();
    time.runUntil("it is warm", () -> copies.warmCounts().warm() == 1);
    time.await(append(3, 3, 3)).payload().release();
    try (WarmVolume taken = time.await(copies.takeOver(VOLUME.value(), 2)).orElseThrow()) {
      assertEquals(Lsn.of(1, 3), taken.lastLsn());
    }
    assertEquals(0, copies.warmCounts().takenWarm(), "it may not be opened after all");
    copies.opened(VOLUME.value(), true);
    time.runUntil("it is counted", () -> copies.warmCounts().takenWarm() == 1);
    assertEquals(0, copies.warmCounts().copies());
  }

  @Test
  void aCopyOfAnOlderPrimaryStaysCold() throws Exception {
    begin(BeginCopyRequest.newBuilder());
    WarmCopyState said = warm(time.await(append(1, 1, 1)));
    assertEquals(WarmCopyState.Phase.COLD, said.getPhase());
    assertEquals("its primary is of an older release", said.getReason());
    assertEquals(List.of(Lsn.of(1, 1)), onDisk());
    assertEquals(1, copies.warmCounts().thrownAway().get(WarmDoubt.OLD_PRIMARY));
  }

  @Test
  void copyWithAFailedWriteIsNotTakenOverWarm() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    disk.limitBytes(0);
    CompletableFuture<RpcReply> large = ask(Opcode.APPEND_COPY, large(2, 3));
    time.runUntil("it is answered", large::isDone);
    disk.limitBytes(1L << 40);
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
    assertEquals(1, copies.warmCounts().thrownAway().get(WarmDoubt.GIVEN_UP));
  }

  @Test
  void nextCopyBeginsEmpty() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    CopyIdentity next = COPY.toBuilder().setAttempt(2).build();
    BeginCopyRequest anew =
        BeginCopyRequest.newBuilder().setCopy(next).setSuperuser("weft").build();
    time.await(ask(Opcode.BEGIN_COPY, anew)).payload().release();
    AppendCopyRequest empty =
        AppendCopyRequest.newBuilder().setCopy(next).setSequence(1).setWhole(true).build();
    WarmCopyState said = warm(time.await(ask(Opcode.APPEND_COPY, empty)));
    assertEquals(Lsn.ZERO, new Lsn(said.getAppliedLsn()));
    assertEquals(1, copies.warmCounts().thrownAway().get(WarmDoubt.NEW_COPY));
  }

  @Test
  void aCopyWhoseJournalHasFailedIsNotTakenOverWarm() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    faults.failWhere(operation -> operation.kind() == StorageFaults.Kind.FILE_WRITE, "no space");
    AppendCopyRequest mark =
        AppendCopyRequest.newBuilder()
            .setCopy(COPY)
            .setSequence(2)
            .setDropBelow(Lsn.of(1, 2).value())
            .setWhole(true)
            .build();
    time.await(ask(Opcode.APPEND_COPY, mark)).payload().release();
    time.runUntil("it is warm", () -> copies.warmCounts().warm() == 1);
    faults.failWhere(operation -> false, "none");
    assertEquals(List.of(Lsn.of(1, 1), Lsn.of(1, 2)), onDisk());
    assertEquals(1, copies.warmCounts().thrownAway().get(WarmDoubt.GIVEN_UP));
  }

  @Test
  void copyNoLongerInTheRowFreesItsMemory() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    time.await(append(1, 1, 2)).payload().release();
    copies.unnamed(VOLUME.value());
    time.await(append(2, 3, 3)).payload().release();
    assertEquals(0, copies.warmCounts().thrownAway().get(WarmDoubt.NOT_NAMED), "it is new");
    copies.named(VOLUME.value());
    copies.unnamed(VOLUME.value());
    WarmCopyState said = warm(time.await(append(3, 4, 4)));
    assertEquals(WarmCopyState.Phase.COLD, said.getPhase());
    assertEquals(1, copies.warmCounts().thrownAway().get(WarmDoubt.NOT_NAMED));
    assertEquals(4, onDisk().size(), "the copy goes on");
  }

  private static AppendCopyRequest large(long sequence, int index) {
    return AppendCopyRequest.newBuilder()
        .setCopy(COPY)
        .setSequence(sequence)
        .addFrames(
            CopiedFrame.newBuilder()
                .setLsn(Lsn.of(1, index).value())
                .setBody(ByteString.copyFrom(new byte[JournalLog.MAX_RECORD_BYTES])))
        .build();
  }

  @Test
  void unsignedRequestIsRefusedBeforeItIsQueued() {
    copies.close();
    byte[] others = secret.clone();
    others[0]++;
    assertEquals(
        ErrorCode.UNAUTHENTICATED,
        failure(
            primary.call(
                RpcRequest.signed(
                    Opcode.BEGIN_COPY,
                    BeginCopyRequest.newBuilder().setCopy(COPY).build(),
                    1_000,
                    others))));
    assertEquals(ErrorCode.UNAVAILABLE, failure(append(1, 1, 1)), "it is signed, and closed");
  }

  @Test
  void aPromotionCountsOnceAndAStartDoesNot() {
    copies.opened(VOLUME.value(), false);
    copies.named(VOLUME.value());
    copies.opened(VOLUME.value(), false);
    copies.opened(VOLUME.value(), false);
    copies.named(VOLUME.value());
    copies.unnamed(VOLUME.value());
    copies.opened(VOLUME.value(), false);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, copies.warmCounts().takenCold(), "it was given up before, or was cold");
    assertEquals(0, copies.warmCounts().takenWarm());
  }

  private void whole(long sequence, int first, int last) {
    AppendCopyRequest.Builder request =
        AppendCopyRequest.newBuilder().setCopy(COPY).setSequence(sequence).setWhole(true);
    for (int index = first; index <= last; index++) {
      JournalEntry entry =
          JournalEntry.of(
              new JournalRecord(
                  Lsn.of(1, index),
                  List.of(new ObjectEffect.RemoveObject(new ObjectId(index), List.of()))));
      request.addFrames(
          CopiedFrame.newBuilder()
              .setLsn(entry.lsn().value())
              .setBody(ByteString.copyFrom(entry.bodies().get(0))));
    }
    time.await(ask(Opcode.APPEND_COPY, request.build())).payload().release();
  }

  @Test
  void aColdCopyStaysColdUntilTheNextOne() throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    int last = 1;
    long sequence = 1;
    whole(1, 1, 1);
    while (copies.warmCounts().thrownAway().get(WarmDoubt.TOO_MUCH) == 0) {
      whole(++sequence, last + 1, last + 2);
      last += 2;
    }
    AppendCopyRequest flushed =
        AppendCopyRequest.newBuilder()
            .setCopy(COPY)
            .setSequence(++sequence)
            .setWhole(true)
            .setRedoFrom(Lsn.of(1, last).value())
            .build();
    time.await(ask(Opcode.APPEND_COPY, flushed)).payload().release();
    time.pass(TimeUnit.MINUTES.toNanos(20));
    whole(++sequence, last + 1, last + 1);
    assertEquals(0, copies.warmCounts().warm());
    assertEquals(last + 1, onDisk().size(), "the copy goes on");
  }

  /** After each step of the take-over in turn. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  void copyTakenOverDuringAStopIsClosedOrHandedOut(int step) throws Exception {
    begin(BeginCopyRequest.newBuilder().setSuperuser("weft"));
    whole(1, 1, 2);
    CompletableFuture<Optional<WarmVolume>> taken = copies.takeOver(VOLUME.value(), 2);
    int[] steps = new int[1];
    time.runUntil("so many steps are done", () -> steps[0]++ == step);
    copies.close();
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertTrue(taken.isDone(), "a volume waits for it");
    if (!taken.isCompletedExceptionally()) {
      Optional<WarmVolume> given = taken.join();
      if (given.isPresent()) {
        given.get().close();
      }
    }
    long fileBytes = disk.contents(disk.list().get(0)).length;
    assertTrue(fileBytes < SEGMENT_BYTES, "what is closed gives its space back: " + fileBytes);
  }
}
