package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalOptions;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/** When a volume goes to its backup by its primary's own word (P 6.2). */
class PairingTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final OwnedExecutor home = time.newSerialExecutor("volume");
  private final List<Long> askedNanos = new ArrayList<>();
  private final List<Integer> backups = new ArrayList<>();
  private final List<SetBackupRequest> said = new ArrayList<>();
  private final List<CompletableFuture<Void>> answers = new ArrayList<>();
  private ClusterTable table = ClusterTable.getDefaultInstance();
  private boolean backupAnswers = true;
  private final List<CompletableFuture<Void>> settled = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private Optional<WeftException> refusal =
      Optional.of(new WeftException(ErrorCode.UNAVAILABLE, "no leader is known"));
  private final PairReports sysmgr =
      new PairReports() {
        @Override
        public CompletableFuture<Void> setBackup(SetBackupRequest request) {
          backups.add(request.getBackupId());
          said.add(request);
          answers.add(new CompletableFuture<>());
          return answers.get(answers.size() - 1);
        }

        @Override
        public CompletableFuture<Void> handOver(HandOverRequest request) {
          assertEquals(2, request.getBackupId());
          askedNanos.add(time.nowNanos());
          return refusal
              .<CompletableFuture<Void>>map(CompletableFuture::failedFuture)
              .orElseGet(() -> CompletableFuture.completedFuture(null));
        }
      };

  /** Of a volume in its epoch 3 at manager 1, whose row names manager 2. */
  private Pairing pairing() {
    return pairing(
        why -> {
          throw new AssertionError(why);
        });
  }

  private Pairing pairing(Consumer<String> deposed) {
    return pairing(deposed, 2);
  }

  private Pairing pairing(Consumer<String> deposed, int namedBefore) {
    return new Pairing(
        new Pairing.Terms(7, 3, 1, namedBefore, true, "weft"),
        new BackupLinks(
            environment,
            home,
            new CopyTurns(1),
            () -> Optional.of(CLUSTER),
            "manager-1",
            new byte[32]),
        sysmgr,
        new KnownManagers(() -> table, Set::of),
        home,
        deposed);
  }

  private static FileJournal journal(VirtualTime time) throws IOException {
    return FileJournal.open(
        new MemorySegmentDirectory(new StorageFaults()),
        new JournalIdentity(new PartitionId(7), CLUSTER),
        time,
        new SplittableRandom(2),
        JournalOptions.DEFAULT);
  }

  /** Its fence waits for an OSD that the row's other member reaches. */
  @Test
  void unservedVolumeEndsInFavourOfTheBackupInItsRow() {
    Pairing pairing = pairing(ended::add);
    pairing.handOverTo(3);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(), ended, "the row names another one");
    pairing.handOverTo(2);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, ended.size());
  }

  /** What is acknowledged from then on it does not have. */
  @Test
  void aBackupThatIsBeingLeftGetsNoVolume() throws Exception {
    FileJournal journal = journal(time);
    Pairing pairing = pairing(ended::add);
    home.execute(() -> settled.add(pairing.settle(new ReplicatedJournal(journal))));
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(0), backups, "the row is to name none");
    pairing.handOverTo(2);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(), ended);
  }

  private void answer(InboundRequest request) {
    // Else its answers count for nothing.
    assertTrue(request.signedWith(new byte[32]));
    if (!backupAnswers) {
      return;
    }
    boolean begins = request.opcodeNumber() == Opcode.BEGIN_COPY.number();
    request.reply(begins ? Empty.getDefaultInstance() : AppendCopyReply.getDefaultInstance());
  }

  private void settle(int word) {
    answers.get(word).complete(null);
    time.pass(TimeUnit.MILLISECONDS.toNanos(100));
  }

  /** It has manager 2 as its backup, which answers. */
  private Pairing paired(ReplicatedJournal journal) {
    Endpoint address =
        time.await(
                wire.listen(
                        new Endpoint("backup", 7310),
                        ListenOptions.of(() -> Optional.of(CLUSTER), "backup", 0),
                        this::answer)
                    .toCompletableFuture())
            .address();
    table =
        ClusterTable.newBuilder()
            .addManagers(
                ManagerRow.newBuilder()
                    .setManagerId(2)
                    .setState(NodeState.UP)
                    .addAddresses(
                        AddressMessage.newBuilder()
                            .setHost(address.host())
                            .setPort(address.port())))
            .build();
    Pairing pairing = pairing(ended::add, 0);
    home.execute(
        () -> {
          settled.add(pairing.settle(journal));
          pairing.begin();
        });
    time.runUntil("it is named", () -> !said.isEmpty());
    settle(0);
    assertEquals(List.of(2), backups);
    assertEquals(PairStatus.State.IN_STEP, pairing.status().state());
    return pairing;
  }

  /** What it said before may still be on its way: the hand-over could meet a row without one. */
  @Test
  void unreachedBackupIsNamedAgainBeforeItGetsTheVolume() throws Exception {
    ReplicatedJournal journal = new ReplicatedJournal(journal(time));
    Pairing pairing = paired(journal);
    backupAnswers = false;
    time.pass(TimeUnit.SECONDS.toNanos(6));
    assertEquals(List.of(2, 0), backups, "without a record it is asked for a sign of life");
    assertTrue(said.get(1).getUnreached());
    CompletableFuture<Void> committed =
        journal
            .append(
                new JournalRecord(
                    Lsn.of(3, 1),
                    List.of(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, 1))))
            .toCompletableFuture();
    pairing.handOverTo(3);
    pairing.handOverTo(2);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(2, 0, 2), backups);
    assertTrue(said.get(2).getNumber() > said.get(1).getNumber());
    assertEquals(List.of(), ended, "it is not known yet what the row says");
    settle(1);
    assertEquals(List.of(), ended);
    settle(2);
    assertEquals(1, ended.size());
    assertFalse(committed.isDone(), "the backup does not have it");
  }

  @Test
  void backupNotNamedAgainStaysAsBefore() throws Exception {
    ReplicatedJournal journal = new ReplicatedJournal(journal(time));
    Pairing pairing = paired(journal);
    backupAnswers = false;
    time.pass(TimeUnit.SECONDS.toNanos(6));
    pairing.handOverTo(2);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    answers.get(2).completeExceptionally(new WeftException(ErrorCode.BUSY, "it is down by now"));
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(2, 0, 2, 0), backups);
    assertFalse(said.get(3).getUnreached(), "it has been asked for that already");
    settle(3);
    assertEquals(List.of(), ended);
    assertEquals(PairStatus.State.NONE, pairing.status().state());
  }

  @Test
  void aVolumeWhoseJournalCannotBeOpenedGoesToItsBackup() {
    refusal = Optional.empty();
    home.execute(pairing()::handOver);
    time.pass(TimeUnit.SECONDS.toNanos(20));
    assertEquals(1, askedNanos.size());
  }

  @Test
  void sysmgrIsAskedUntilItHasAnAnswer() {
    home.execute(pairing()::handOver);
    time.pass(TimeUnit.MINUTES.toNanos(3));
    int before = askedNanos.size();
    // Each 5 s in the end, or half of that.
    assertTrue(before > 36 && before < 80, before + " times in three minutes");
    time.pass(TimeUnit.SECONDS.toNanos(6));
    assertTrue(askedNanos.size() > before, "it goes on");
    refusal = Optional.empty();
    time.pass(TimeUnit.SECONDS.toNanos(6));
    int answered = askedNanos.size();
    time.pass(TimeUnit.SECONDS.toNanos(60));
    assertEquals(answered, askedNanos.size(), "it has been given");
  }

  @Test
  void aVolumeThatIsAnothersByNowIsNotHandedOver() {
    refusal = Optional.of(new WeftException(ErrorCode.FENCED, "it is in epoch 4"));
    home.execute(pairing()::handOver);
    time.pass(TimeUnit.SECONDS.toNanos(60));
    assertEquals(1, askedNanos.size());
  }

  @Test
  void stoppingManagerSendsNoMoreRequests() {
    Pairing pairing = pairing();
    home.execute(pairing::handOver);
    time.pass(TimeUnit.SECONDS.toNanos(10));
    int before = askedNanos.size();
    assertTrue(before > 1);
    home.execute(pairing::close);
    time.pass(TimeUnit.SECONDS.toNanos(60));
    assertEquals(before, askedNanos.size());
  }

  /** Its fence was still waited for when the manager was stopped, or the volume had failed. */
  @Test
  void aVolumeThatHasEndedKeepsItsBackupInItsRow() throws Exception {
    FileJournal journal = journal(time);
    Pairing stopped = pairing();
    home.execute(stopped::close);
    Pairing failed = pairing();
    home.execute(failed::handOver);
    for (Pairing ended : List.of(stopped, failed)) {
      home.execute(() -> settled.add(ended.settle(new ReplicatedJournal(journal))));
    }
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(), backups);
    assertEquals(2, settled.size());
    assertTrue(settled.stream().noneMatch(CompletableFuture::isDone));
  }
}
