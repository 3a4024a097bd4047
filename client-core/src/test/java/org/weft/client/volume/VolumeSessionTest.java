package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.ScriptedDaemon.Fault;
import org.weft.client.volume.VolumeCalls.Creation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RegrantReply;
import org.weft.protocol.wire.VolumeRow;

/** P 6.4: every request is answered once, over lost connections and restarts of the manager. */
class VolumeSessionTest {
  private static final int LEASE_MILLIS = 10_000;
  private static final Creation NEW_FILE = new Creation(0666, 022, false, false, Optional.empty());

  private final FakeClusterWorld world = new FakeClusterWorld(2);
  private final FixedDirectory directory = new FixedDirectory();
  private WeftException refusal;
  private int refusals;
  private final FakeManager manager =
      new FakeManager(CLUSTER, LEASE_MILLIS, 2, this::answer).sparingSessions();
  private VolumeSession session;
  private VolumeCalls calls;

  VolumeSessionTest() {
    manager.startAt(world.wire, MANAGER);
    connect(SessionOptions.of(ROOT_VOLUME, "ann", List.of("staff"), "host/1/test"));
  }

  private void connect(SessionOptions options) {
    session = new VolumeSession(options, CLUSTER, directory, world.environment, world.home);
    calls = new VolumeCalls(session);
  }

  /** Where the manager is, and what was heard of the table. */
  private static final class FixedDirectory implements ManagerDirectory {
    private List<Endpoint> addresses = List.of(MANAGER);
    private final List<Long> heard = new ArrayList<>();
    private int refreshes;

    @Override
    public List<Endpoint> managerAddressesOf(long volumeId) {
      return addresses;
    }

    @Override
    public CompletableFuture<ClusterTable> refresh() {
      refreshes++;
      return CompletableFuture.completedFuture(ClusterTable.getDefaultInstance());
    }

    @Override
    public void heard(long version) {
      heard.add(version);
    }
  }

  private MessageLite answer(Opcode opcode, MessageLite request) throws WeftException {
    if (refusal != null && refusals > 0 && opcode != Opcode.READDIR) {
      refusals--;
      throw refusal;
    }
    FileAttributes attributes = FileAttributes.newBuilder().setObjectId(70_000).build();
    return switch (opcode) {
      case CREATE_FILE ->
          CreateReply.newBuilder()
              .setAttributes(attributes)
              .setGrant(Grant.newBuilder().setNumber(11))
              .build();
      case READDIR -> ReaddirReply.newBuilder().setEnd(true).build();
      case UNLINK, RMDIR, RENAME, REPORT -> Empty.getDefaultInstance();
      default -> AttributesReply.newBuilder().setAttributes(attributes).build();
    };
  }

  private void refuse(int times, ErrorCode code, String message) {
    refusal = new WeftException(code, message);
    refusals = times;
  }

  private static WeftException failureOf(CompletableFuture<?> failed) {
    return WeftException.of(assertThrows(ExecutionException.class, failed::get));
  }

  private CompletableFuture<FileAttributes> mkdir(String path) {
    return calls.mkdir(path, 0777, 022, false);
  }

  @Test
  void executesOnceThoughTheReplyIsLost() {
    manager.next(Fault.LOSE_REPLY);
    assertEquals(70_000, world.finish(mkdir("/a")).join().getObjectId());
    assertEquals(List.of("MKDIR a"), manager.executions());
  }

  @Test
  void executesOnceThoughTheManagerRestartsBeforeTheReply() {
    manager.next(Fault.SWALLOW_REPLY);
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(100);
    manager.restart();

    world.finish(made).join();
    assertEquals(List.of("MKDIR a"), manager.executions());
    assertEquals(List.of(), manager.stale());
  }

  @Test
  void waitsForAManagerThatIsDownOrNotYetServing() {
    manager.stop();
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(20_000);
    assertFalse(made.isDone());
    assertTrue(directory.refreshes > 5, "it looks where the manager is now");

    manager.next(Fault.NOT_SERVING, Fault.NOT_SERVING, Fault.OVERLOADED, Fault.LOSE_REQUEST);
    manager.start();
    world.finish(made).join();
    assertEquals(List.of("MKDIR a"), manager.executions());
  }

  @Test
  void requestsToldNotServingAreSentWhenOneIsAnswered() {
    world.finish(mkdir("/first")).join();
    refuse(Integer.MAX_VALUE, ErrorCode.NOT_SERVING, "another manager takes over");
    CompletableFuture<FileAttributes> one = mkdir("/one");
    CompletableFuture<FileAttributes> two = mkdir("/two");
    world.pass(5_000);
    assertFalse(one.isDone() || two.isDone());

    refusals = 0;
    world.pass(150);
    assertTrue(one.isDone());
    assertTrue(two.isDone());
  }

  @Test
  void aNewEpochSendsWhatWaits() {
    world.finish(mkdir("/first")).join();
    manager.stop();
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(20_000);
    manager.startAt(world.wire, MANAGER);

    session.tableChanged(VolumeRow.newBuilder().setVolumeId(ROOT_VOLUME).setEpoch(2).build());
    world.pass(20);
    assertTrue(made.isDone());
  }

  @Test
  void aRequestToAWrongManagerIsSentAgainAtOnce() {
    world.finish(mkdir("/first")).join();
    manager.mute(true);
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(500);
    Endpoint elsewhere = new Endpoint("elsewhere", 7311);
    FakeManager other = new FakeManager(CLUSTER, LEASE_MILLIS, 2, this::answer).sparingSessions();
    other.startAt(world.wire, elsewhere);
    directory.addresses = List.of(elsewhere);

    session.tableChanged(VolumeRow.newBuilder().setVolumeId(ROOT_VOLUME).setEpoch(2).build());
    assertTrue(world.runUntil(() -> other.received().contains(Opcode.MKDIR), 500));
    manager.stop();
    made.cancel(false);
  }

  @Test
  void asksForTheTableOnceASecondWhileARequestIsUnanswered() {
    world.finish(mkdir("/first")).join();
    int before = directory.refreshes;
    manager.mute(true);
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(900);
    assertEquals(before, directory.refreshes);
    world.pass(2_200);
    assertEquals(before + 3, directory.refreshes);

    manager.mute(false);
    world.finish(made).join();
  }

  @Test
  void anAnswerDoesNotHurryARequestThatWaitsForOsds() {
    world.finish(mkdir("/first")).join();
    refuse(1_000, ErrorCode.UNAVAILABLE, "no OSD of it answers");
    CompletableFuture<FileAttributes> made = mkdir("/a");
    for (int i = 0; i < 500; i++) {
      world.finish(calls.readdir("/", 0, 10, false)).join();
      world.pass(10);
    }
    assertFalse(made.isDone());
    assertTrue(1_000 - refusals <= 16, "attempts: " + (1_000 - refusals));
  }

  @Test
  void aVolumeThatStaysUnservedIsAskedEverMoreSeldom() {
    world.finish(mkdir("/first")).join();
    refuse(1_000, ErrorCode.NOT_SERVING, "its journal is gone");
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(10_000);
    int before = refusals;
    world.pass(20_000);
    assertFalse(made.isDone());
    assertTrue(before - refusals <= 45, "attempts: " + (before - refusals));
  }

  @Test
  void followsTheManagerToAnotherAddress() {
    world.finish(mkdir("/a")).join();
    Endpoint elsewhere = new Endpoint("elsewhere", 9);
    manager.startAt(world.wire, elsewhere);
    directory.addresses = List.of(elsewhere);

    world.finish(mkdir("/b")).join();
    assertEquals(2, world.wire.connects());
    assertEquals(1, manager.sessionCount());
  }

  @Test
  void theDeadlineFailsARequestWithoutReusingItsNumber() {
    world.finish(session.open()).join();
    manager.mute(true);
    CompletableFuture<FileAttributes> made = world.finish(mkdir("/a"));

    WeftException failure = failureOf(made);
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure.code());
    assertTrue(failure.getMessage().startsWith("/a: no reply within 60.0 s"), failure.getMessage());
    assertTrue(failure.getMessage().contains("may still be carried out"), failure.getMessage());

    manager.mute(false);
    world.finish(mkdir("/b")).join();
    world.pass(5_000);
    List<String> executions = new ArrayList<>(manager.executions());
    Collections.sort(executions);
    assertEquals(List.of("MKDIR a", "MKDIR b"), executions);
    assertEquals(List.of(), manager.stale());
  }

  @Test
  void givesBackAGrantThatComesAfterTheDeadline() {
    world.finish(session.open()).join();
    manager.mute(true);
    failureOf(world.finish(calls.create("/a", NEW_FILE)));
    manager.mute(false);
    world.pass(5_000);

    assertEquals(List.of("CREATE_FILE a", "CLOSE_FILE 70000 abandoned"), manager.executions());
  }

  @Test
  void givesBackAGrantThatTheCallerDoesNotWantAnyMore() {
    world.finish(session.open()).join();
    CompletableFuture<?> creating = calls.create("/a", NEW_FILE);
    world.runUntil(() -> manager.received().contains(Opcode.CREATE_FILE), 1_000);
    creating.cancel(false);
    world.pass(1_000);

    assertEquals(List.of("CREATE_FILE a", "CLOSE_FILE 70000 abandoned"), manager.executions());
  }

  @Test
  void requestsBeyondTheSlotsWaitAndAllAreAnswered() {
    List<CompletableFuture<FileAttributes>> made = new ArrayList<>();
    for (int number = 0; number < 50; number++) {
      made.add(mkdir("/d" + number));
    }
    made.forEach(future -> world.finish(future).join());
    assertEquals(50, manager.executions().size());
  }

  @Test
  void refusesMoreUnansweredRequestsThanItsLimit() {
    connect(new SessionOptions(ROOT_VOLUME, "ann", List.of(), "test", 2, 5, 10_000, 60_000));
    List<CompletableFuture<FileAttributes>> made = new ArrayList<>();
    for (int number = 0; number < 6; number++) {
      made.add(mkdir("/d" + number));
    }
    made.forEach(world::finish);
    assertEquals(ErrorCode.OVERLOADED, failureOf(made.get(5)).code());
    assertEquals(5, made.stream().filter(future -> !future.isCompletedExceptionally()).count());
  }

  @Test
  void renewsItsLeaseAndPassesOnTheTableVersion() {
    manager.tableVersion(42);
    world.finish(session.open()).join();
    world.pass(LEASE_MILLIS);

    long renewals = manager.received().stream().filter(Opcode.RENEW_SESSION::equals).count();
    assertTrue(renewals >= 2, renewals + " renewals in one lease");
    assertEquals(42L, directory.heard.get(0));
  }

  @Test
  void opensAnotherSessionWhenTheManagerForgotTheOld() {
    world.finish(mkdir("/a")).join();
    manager.expireSessions();

    world.finish(mkdir("/b")).join();
    assertEquals(List.of("MKDIR a", "MKDIR b"), manager.executions());
    assertEquals(1, manager.sessionCount());
    assertEquals(1, session.losses());
  }

  @Test
  void aFileBeingWrittenIsLostWithItsSession() {
    SessionReply<CreateReply> created = world.finish(calls.create("/a", NEW_FILE)).join();
    assertTrue(session.isLive(created.sessionId()));
    manager.expireSessions();
    world.finish(mkdir("/b")).join();
    assertFalse(session.isLive(created.sessionId()));

    CompletableFuture<FileAttributes> closed =
        world.finish(
            calls.close(new SessionGrant("/a", created.sessionId(), 70_000, 11), 5, 1, false));
    WeftException failure = failureOf(closed);
    assertEquals(ErrorCode.SESSION_EXPIRED, failure.code());
    assertTrue(failure.getMessage().startsWith("/a: "), failure.getMessage());
    assertFalse(manager.executions().contains("CLOSE_FILE 70000"), "not in the new session");
  }

  @Test
  void aChangeInDoubtIsNotRepeatedInAnotherSession() {
    manager.next(Fault.SWALLOW_REPLY);
    CompletableFuture<FileAttributes> made = mkdir("/a");
    world.pass(100);
    manager.expireSessions();

    WeftException failure = failureOf(world.finish(made));
    assertEquals(ErrorCode.SESSION_EXPIRED, failure.code());
    assertTrue(failure.getMessage().contains("may or may not"), failure.getMessage());
    assertEquals(List.of("MKDIR a"), manager.executions());
  }

  @Test
  void attributesInDoubtAreNotSetAgainInAnotherSession() {
    manager.next(Fault.SWALLOW_REPLY);
    CompletableFuture<FileAttributes> set =
        calls.setAttributes(
            "/a",
            new VolumeCalls.Changes(
                OptionalInt.of(0600),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty()));
    world.pass(100);
    manager.expireSessions();

    assertEquals(ErrorCode.SESSION_EXPIRED, failureOf(world.finish(set)).code());
    assertEquals(List.of("SET_ATTRIBUTES_OF a"), manager.executions());
  }

  /** BUSY is of a manager that has looked into the slot, and stays the slot's answer. */
  @Test
  void aDoubtfulImpatientRequestEndsWithTheManagersRefusal() {
    CompletableFuture<RegrantReply> asked = regrantInDoubt(ErrorCode.BUSY);
    assertTrue(asked.isDone());
    assertEquals(ErrorCode.BUSY, failureOf(asked).code());
  }

  /** UNAVAILABLE may be of a listener that stops while the answer of the first attempt is held. */
  @Test
  void aListenerThatStopsLeavesARequestWithoutPatienceInDoubt() {
    assertFalse(regrantInDoubt(ErrorCode.UNAVAILABLE).isDone());
  }

  /** A writer's request whose first attempt is lost, and which is refused for 5 s. */
  private CompletableFuture<RegrantReply> regrantInDoubt(ErrorCode refusal) {
    SessionReply<CreateReply> made = world.finish(calls.create("/a", NEW_FILE)).join();
    SessionGrant grant =
        new SessionGrant("/a", made.sessionId(), 70_000, made.body().getGrant().getNumber());
    manager.next(Fault.LOSE_REQUEST);
    refuse(Integer.MAX_VALUE, refusal, "not now");
    CompletableFuture<RegrantReply> asked =
        calls.grants().regrantNow(grant, List.of(), 1, late -> {});
    world.pass(5_000);
    return asked;
  }

  @Test
  void aReadInDoubtIsRepeatedInAnotherSession() {
    manager.next(Fault.SWALLOW_REPLY);
    CompletableFuture<FileAttributes> read = calls.attributes("/a");
    world.pass(100);
    manager.expireSessions();

    assertEquals(70_000, world.finish(read).join().getObjectId());
  }

  @Test
  void waitsForAWriterUpToOneLease() {
    refuse(3, ErrorCode.BEING_WRITTEN, "/a: being written by bob since noon");
    world.finish(calls.create("/a", NEW_FILE)).join();

    refuse(Integer.MAX_VALUE, ErrorCode.BEING_WRITTEN, "/a: being written by bob since noon");
    long startMillis = world.time.nowMillis();
    WeftException failure = failureOf(world.finish(calls.create("/a", NEW_FILE)));
    assertEquals(ErrorCode.BEING_WRITTEN, failure.code());
    assertEquals("/a: being written by bob since noon", failure.getMessage());
    long waitedMillis = world.time.nowMillis() - startMillis;
    assertTrue(waitedMillis > LEASE_MILLIS / 2 && waitedMillis <= LEASE_MILLIS, "" + waitedMillis);
  }

  @Test
  void waitsForAWriterNoLongerThanTheRequestSays() {
    refuse(Integer.MAX_VALUE, ErrorCode.BEING_WRITTEN, "/a: being written by bob since noon");
    long startMillis = world.time.nowMillis();
    WeftException failure =
        failureOf(world.finish(calls.openForWriting("/a", false, OptionalInt.of(500))));
    assertEquals(ErrorCode.BEING_WRITTEN, failure.code());
    long waitedMillis = world.time.nowMillis() - startMillis;
    assertTrue(waitedMillis <= 500, "" + waitedMillis);
  }

  /** They may be starting, or returning one after the other. */
  @Test
  void waitsForOsdsThatAloneKnowWhatANameLeadsTo() {
    refuse(3, ErrorCode.OSDS_SILENT, "/a: OSDs [1, 2] did not reply");
    assertEquals(70_000, world.finish(calls.attributes("/a")).join().getObjectId());
    refuse(3, ErrorCode.OSDS_SILENT, "/a: OSDs [1, 2] did not reply");
    world.finish(calls.create("/a", NEW_FILE)).join();

    refuse(Integer.MAX_VALUE, ErrorCode.OSDS_SILENT, "/a: OSDs [1, 2] did not reply");
    long startMillis = world.time.nowMillis();
    WeftException failure = failureOf(world.finish(calls.attributes("/a")));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertEquals("/a: OSDs [1, 2] did not reply", failure.getMessage());
    long waitedMillis = world.time.nowMillis() - startMillis;
    long mostMillis = TimeUnit.NANOSECONDS.toMillis(Exchange.OSD_PATIENCE_NANOS);
    assertTrue(waitedMillis > mostMillis / 2 && waitedMillis <= mostMillis, "" + waitedMillis);
  }

  /** Their words are of one file: what is refused for another reason has its own time. */
  @Test
  void waitsForAWriterAfterItHasWaitedForOsds() {
    refuse(Integer.MAX_VALUE, ErrorCode.OSDS_SILENT, "/a: OSDs [1, 2] did not reply");
    CompletableFuture<?> created = calls.create("/a", NEW_FILE);
    world.pass(5_000);
    refuse(Integer.MAX_VALUE, ErrorCode.BEING_WRITTEN, "/a: being written by bob since noon");
    assertEquals(ErrorCode.BEING_WRITTEN, failureOf(world.finish(created)).code());
  }

  /** Its manager would take a client without any connection for dead. */
  @Test
  void aSessionWhoseConnectionEndedIsRenewedByAnotherAtOnce() {
    world.finish(mkdir("/a")).join();
    long before = manager.received().stream().filter(Opcode.RENEW_SESSION::equals).count();
    world.wire.breakConnections("", "");
    world.pass(500);
    long after = manager.received().stream().filter(Opcode.RENEW_SESSION::equals).count();
    assertEquals(before + 1, after);
  }

  @Test
  void aRefusalWithoutThePathGetsItInFront() {
    refuse(1, ErrorCode.NOT_FOUND, "no such file or directory");
    WeftException failure = failureOf(world.finish(calls.attributes("/x/y")));
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
    assertEquals("/x/y: no such file or directory", failure.getMessage());
  }

  @Test
  void aRefusalReachesARetryToo() {
    refuse(1, ErrorCode.EXISTS, "/a: exists");
    manager.next(Fault.LOSE_REPLY);
    assertEquals(ErrorCode.EXISTS, failureOf(world.finish(mkdir("/a"))).code());
    assertEquals(List.of(), manager.executions());
  }

  @Test
  void anOpeningThatIsRepeatedFindsItsSession() {
    FakeManager strict = new FakeManager(CLUSTER, LEASE_MILLIS, 2, this::answer);
    manager.stop();
    strict.startAt(world.wire, MANAGER);
    strict.next(Fault.LOSE_REPLY, Fault.SWALLOW_REPLY, Fault.LOSE_REQUEST);
    world.finish(session.open()).join();
    assertEquals(1, strict.sessionCount());
  }

  @Test
  void closingEndsTheSessionAndFailsWhatWaits() {
    world.finish(mkdir("/a")).join();
    manager.next(Fault.SWALLOW_REPLY, Fault.SWALLOW_REPLY);
    List<CompletableFuture<FileAttributes>> made = List.of(mkdir("/b"), mkdir("/c"), mkdir("/d"));
    world.pass(10);
    world.finish(session.shutdown()).join();

    made.forEach(world::finish);
    assertTrue(made.stream().allMatch(CompletableFuture::isCompletedExceptionally));
    assertEquals(ErrorCode.CANCELLED, failureOf(world.finish(mkdir("/e"))).code());
    assertEquals(0, manager.sessionCount());
  }

  /** Timers end with the home executor: nothing else would tell a call that waits for one. */
  @Test
  void closingFailsARequestThatWaitsForAWriter() {
    world.finish(mkdir("/a")).join();
    refuse(Integer.MAX_VALUE, ErrorCode.BEING_WRITTEN, "/a: being written by bob since noon");
    CompletableFuture<?> created = calls.create("/a", NEW_FILE);
    world.pass(100);
    assertFalse(created.isDone());

    CompletableFuture<Void> closed = world.finish(session.shutdown());
    assertTrue(closed.isDone());
    assertTrue(created.isDone());
    assertEquals(ErrorCode.CANCELLED, failureOf(created).code());
  }

  @Test
  void closingFailsARequestThatIsTriedAgainLater() {
    world.finish(mkdir("/a")).join();
    refuse(Integer.MAX_VALUE, ErrorCode.UNAVAILABLE, "the volume is being recovered");
    CompletableFuture<FileAttributes> made = mkdir("/b");
    world.pass(3_000);
    assertFalse(made.isDone());

    CompletableFuture<Void> closed = world.finish(session.shutdown());
    assertTrue(closed.isDone());
    assertTrue(made.isDone());
    assertEquals(ErrorCode.CANCELLED, failureOf(made).code());
  }

  @Test
  void closingRunsWhatWasPutOff() {
    world.finish(mkdir("/a")).join();
    List<String> ran = new ArrayList<>();
    session.later(3_600_000_000_000L, () -> ran.add("an hour later"));
    CompletableFuture<Void> closed = world.finish(session.shutdown());
    assertTrue(closed.isDone());
    assertEquals(List.of("an hour later"), ran);
  }
}
