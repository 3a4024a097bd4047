package org.weft.metadata.help;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.metadata.access.OsdTrouble;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.ShareState;
import org.weft.protocol.wire.StartShareRequest;
import org.weft.protocol.wire.WatchShareRequest;
import org.weft.recovery.rebuild.RebuildOutcome;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/**
 * To which manager a component is given, and what is made of what it says (P 6.8). The primary has
 * no turn of its own here, unless a test says so; managers 2 and 3 are scripted.
 */
class VolumeCopiesTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final int MAX_OF_EACH = 4;
  private static final int OSDS_UP = 100;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final OwnedExecutor home = time.newSerialExecutor("home");
  private final byte[] secret = new byte[32];
  private final CopyWorkers workers =
      new CopyWorkers(environment, () -> Optional.of(CLUSTER), () -> 1, secret, MAX_OF_EACH);

  /** Managers that were sent START_SHARE, in order. */
  private final List<Integer> started = new ArrayList<>();

  private final List<ManagerRow> rows = new ArrayList<>();
  private Consumer<InboundRequest> onStart = VolumeCopiesTest::reply;
  private ShareState state = ShareState.getDefaultInstance();
  private boolean makesProgress;

  /** What workers were lent, in order. */
  private final List<Capability> lent = new ArrayList<>();

  private static void reply(InboundRequest request) {
    request.reply(Empty.getDefaultInstance());
  }

  private static Consumer<InboundRequest> failing(ErrorCode code) {
    return request -> request.fail(code, "a test says so");
  }

  private void worker(int id) {
    Endpoint address = new Endpoint("worker-" + id, 7310 + id);
    time.await(
        wire.listen(
                address,
                ListenOptions.of(() -> Optional.of(CLUSTER), "worker-" + id, 0),
                request -> answer(id, request))
            .toCompletableFuture());
    rows.add(
        ManagerRow.newBuilder()
            .setManagerId(id)
            .setState(NodeState.UP)
            .addAddresses(address.toMessage())
            .build());
    workers.begin(() -> ClusterTable.newBuilder().addAllManagers(rows).build());
  }

  private void answer(int id, InboundRequest request) {
    assertTrue(request.signedWith(secret));
    if (request.opcodeNumber() == Opcode.START_SHARE.number()) {
      started.add(id);
      lent(parsed(request, StartShareRequest.parser()).getCapability());
      onStart.accept(request);
    } else if (request.opcodeNumber() == Opcode.END_SHARE.number()) {
      reply(request);
    } else if (started.isEmpty()) {
      request.fail(ErrorCode.NOT_FOUND, "there is no such share");
    } else {
      lent(parsed(request, WatchShareRequest.parser()).getCapability());
      if (makesProgress) {
        state = state.toBuilder().setBytesDone(state.getBytesDone() + 1).build();
      }
      time.schedule(TimeUnit.SECONDS.toNanos(1), home, () -> request.reply(state));
    }
  }

  private static <T> T parsed(InboundRequest request, Parser<T> parser) {
    try {
      return request.parse(parser);
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
  }

  private void lent(ByteString capability) {
    if (!capability.isEmpty()) {
      try {
        lent.add(Capability.decode(capability.asReadOnlyByteBuffer()));
      } catch (WeftException e) {
        throw new AssertionError(e);
      }
    }
  }

  private VolumeCopies copies(int atOnce) {
    return copies(atOnce, environment);
  }

  private VolumeCopies copies(int atOnce, Environment of) {
    return new VolumeCopies(
        new VolumeCopies.Terms(
            new PartitionId(1),
            3,
            atOnce,
            new CapabilityMint(new PartitionId(1), new WorkingKeys(1, new byte[32]))),
        new StripeEngine(
            environment,
            new OsdConnections(
                environment, osd -> List.of(), () -> Optional.of(CLUSTER), "primary"),
            time.newPool("engine", 1, 100),
            StripeOptions.defaults()),
        workers,
        new CopySlots(),
        of,
        home);
  }

  private void meet(int room) {
    workers.meet();
    time.runUntil("workers are connected", () -> workers.room() == room);
  }

  private static ComponentCopy component(long number) {
    return component(number, 50);
  }

  private static ComponentCopy component(long number, int sharePercent) {
    StorageMap map =
        StorageMap.of(Layout.of(2, 1), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
    return new ComponentCopy(
        new ObjectName(new PartitionId(1), new ObjectId(70_000 + number)),
        map,
        Optional.empty(),
        new SignedCapability(ByteString.EMPTY, new byte[32]),
        1,
        5,
        number,
        1 << 20,
        0,
        new TreeSet<>(),
        sharePercent);
  }

  private CompletableFuture<RebuildOutcome> copy(VolumeCopies copies, long number) {
    return copy(copies, component(number));
  }

  private CompletableFuture<RebuildOutcome> copy(VolumeCopies copies, ComponentCopy component) {
    CompletableFuture<RebuildOutcome> outcome = new CompletableFuture<>();
    home.execute(
        () ->
            copies
                .copy(component, () -> true, bytes -> {})
                .whenComplete(
                    (end, failure) -> {
                      if (failure == null) {
                        outcome.complete(end);
                      } else {
                        outcome.completeExceptionally(failure);
                      }
                    }));
    return outcome;
  }

  private Throwable failure(CompletableFuture<RebuildOutcome> copied) {
    time.runUntil("the copy is over", copied::isDone);
    return assertThrows(CompletionException.class, copied::join);
  }

  private void pass(long millis) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    time.schedule(
        TimeUnit.MILLISECONDS.toNanos(millis), Runnable::run, () -> passed.complete(null));
    time.runUntil("time has passed", passed::isDone);
  }

  @Test
  void aCopyThatNoManagerTakesIsGivenBackAndDoesNotWait() {
    worker(2);
    worker(3);
    onStart = failing(ErrorCode.BUSY);
    VolumeCopies copies = copies(0);
    meet(2);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    pass(2_000);
    assertTrue(copied.isDone(), "it waits for a manager");
    assertTrue(NoRoom.isIn(failure(copied)));
    assertEquals(List.of(2, 3), started);
    assertEquals(0, copies.atOnce(OSDS_UP));
  }

  @Test
  void aWorkerHasRoomForOneMoreThanItHasTaken() {
    worker(2);
    VolumeCopies copies = copies(0);
    assertEquals(0, copies.atOnce(OSDS_UP), "it is not connected yet");
    meet(1);
    for (int taken = 0; taken < MAX_OF_EACH; taken++) {
      assertEquals(taken + 1, copies.atOnce(OSDS_UP));
      int now = taken + 1;
      var unused = copy(copies, now);
      time.runUntil("it is taken", () -> copies.managers() == 1 && started.size() == now);
      pass(10);
    }
    assertEquals(MAX_OF_EACH, copies.atOnce(OSDS_UP));
    assertEquals(2, copies.atOnce(2), "no more than OSDs are up");
  }

  @Test
  void anOsdThatAWorkerCannotReachIsNotBlamedAndThePrimaryTriesItself() {
    worker(2);
    worker(3);
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.UNAVAILABLE.number())
            .setMessage("no path")
            .setFailedOsd(2)
            .build();
    VolumeCopies copies = copies(0);
    meet(2);
    Throwable failure = failure(copy(copies, 1));
    assertEquals(Optional.empty(), OsdTrouble.osdIn(failure));
    assertTrue(WorkerLost.isIn(failure));
    assertTrue(NoRoom.isIn(failure(copy(copies, 1))), "another worker was to copy it");
    assertEquals(List.of(2), started);
  }

  @Test
  void anOsdWithoutSpaceIsNamedAndTheWorkerIsAskedAgain() {
    worker(2);
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.NO_SPACE.number())
            .setMessage("full")
            .setFailedOsd(2)
            .build();
    VolumeCopies copies = copies(0);
    meet(1);
    Throwable failure = failure(copy(copies, 1));
    assertEquals(ErrorCode.NO_SPACE, WeftException.of(failure).code());
    assertFalse(WorkerLost.isIn(failure));
    assertEquals(1, workers.room());
  }

  @Test
  void aWorkerThatFailsAgainIsLeftAloneForLonger() {
    worker(2);
    meet(1);
    workers.failed(2);
    long pauseMillis = TimeUnit.NANOSECONDS.toMillis(CopyWorkers.FAILED_NANOS) + 1;
    pass(pauseMillis);
    assertEquals(1, workers.room());
    workers.failed(2);
    pass(pauseMillis);
    assertEquals(0, workers.room());
    pass(pauseMillis);
    assertEquals(1, workers.room());
  }

  @Test
  void aWorkerThatHasCopiedSinceIsLeftAloneForTheFirstTimeOnly() {
    worker(2);
    meet(1);
    long pauseMillis = TimeUnit.NANOSECONDS.toMillis(CopyWorkers.FAILED_NANOS) + 1;
    for (int failure = 0; failure < 3; failure++) {
      workers.failed(2);
      assertEquals(0, workers.room());
      pass(pauseMillis);
      assertEquals(1, workers.room());
      workers.succeeded(2);
    }
  }

  @Test
  void aWorkerThatHasTakenSomethingSinceIsNotRefusedForLongerEachTime() {
    worker(2);
    meet(1);
    for (int refusal = 0; refusal < 3; refusal++) {
      workers.refused(2);
      pass(TimeUnit.NANOSECONDS.toMillis(CopyWorkers.BUSY_NANOS) + 1);
      assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
      workers.accepted(2);
      workers.ended(2, true);
    }
  }

  @Test
  void aRefusalMakesThePauseOfAFailureNoShorter() {
    worker(2);
    meet(1);
    workers.failed(2);
    workers.refused(2);
    pass(TimeUnit.NANOSECONDS.toMillis(CopyWorkers.BUSY_NANOS) + 1);
    assertEquals(0, workers.room());
  }

  @Test
  void aWorkerThatWasOfferedSomethingInVainHasRoomAgain() {
    worker(2);
    meet(1);
    assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
    assertEquals(0, workers.room());
    workers.ended(2, false);
    assertEquals(1, workers.room(), "it is never given anything again");
  }

  @Test
  void theNextShareGoesToTheWorkerWithTheFewest() {
    worker(2);
    worker(3);
    meet(2);
    assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
    workers.accepted(2);
    assertEquals(3, workers.take(Set.of()).orElseThrow().getManagerId());
    workers.accepted(3);
    assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
  }

  @Test
  void whatFailsTogetherWithAnotherShareIsOneFailure() {
    worker(2);
    meet(1);
    workers.failed(2);
    pass(3_000);
    workers.failed(2);
    pass(TimeUnit.NANOSECONDS.toMillis(CopyWorkers.FAILED_NANOS) + 1);
    assertEquals(1, workers.room());
  }

  @Test
  void aShareGoesOnWhereTheConnectionToItsWorkerLedNowhere() {
    worker(2);
    makesProgress = true;
    VolumeCopies copies = copies(0);
    meet(1);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    time.runUntil("it is taken", () -> copies.managers() == 1);
    pass(2_000);
    wire.silenceConnections("", "");
    pass(20_000);
    assertFalse(copied.isDone(), "the share was given up");
    state = state.toBuilder().setDone(true).build();
    time.await(copied);
  }

  @Test
  void aNumberIsGivenToNoOtherWhereTheAnswerProvesNothing() {
    worker(2);
    worker(3);
    onStart = failing(ErrorCode.UNAUTHENTICATED);
    VolumeCopies copies = copies(0);
    meet(2);
    assertTrue(WorkerLost.isIn(failure(copy(copies, 1))));
    assertEquals(List.of(2), started);
  }

  @Test
  void aWorkerThatAnswersAndWritesNothingIsLost() {
    worker(2);
    VolumeCopies copies = copies(0);
    meet(1);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    pass(TimeUnit.NANOSECONDS.toMillis(ShareCall.PROGRESS_NANOS) + 10_000);
    assertTrue(copied.isDone(), "it is waited for without end");
    assertTrue(WorkerLost.isIn(failure(copied)));
  }

  @Test
  void aWorkerIsLentTheRightToCopyOneObjectAndAnotherBeforeThatExpires() {
    worker(2);
    makesProgress = true;
    VolumeCopies copies = copies(0);
    meet(1);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 7);
    pass(2 * CapabilityMint.COPIERS_LIFE_MILLIS);
    assertFalse(copied.isDone());
    assertTrue(lent.size() > 5, lent::toString);
    long latestMillis = 0;
    for (Capability each : lent) {
      assertEquals(Right.bits(Right.READ, Right.COPY), each.rights());
      assertEquals(component(7).name(), each.object());
      assertEquals(7, each.grant());
      assertEquals(component(7).map().components().get(1).value(), each.targetOsd());
      assertEquals(component(7).incarnation(), each.targetStart());
      assertTrue(each.expiryMillis() > latestMillis, "it lasts longer than the one before");
      latestMillis = each.expiryMillis();
    }
    long leftMillis = latestMillis - time.nowMillis();
    assertTrue(leftMillis > CapabilityMint.COPIERS_LIFE_MILLIS / 2, "left: " + leftMillis);
    assertTrue(leftMillis <= CapabilityMint.COPIERS_LIFE_MILLIS, "left: " + leftMillis);
  }

  @Test
  void aWorkerWhoseRightAnOsdDoesNotTakeLeavesTheComponentToThePrimary() {
    worker(2);
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.CAPABILITY_EXPIRED.number())
            .setMessage("the OSD's clock is ahead")
            .setFailedOsd(2)
            .build();
    VolumeCopies copies = copies(0);
    meet(1);
    Throwable failure = failure(copy(copies, 1));
    assertTrue(WorkerLost.isIn(failure));
    assertEquals(Optional.empty(), OsdTrouble.osdIn(failure));
    assertEquals(1, workers.room(), "the worker is not to blame");
    assertTrue(NoRoom.isIn(failure(copy(copies, 2))), "another file for the same OSD");
    assertEquals(List.of(2), started);
    pass(TimeUnit.NANOSECONDS.toMillis(VolumeCopies.REFUSING_NANOS) + 1);
    failure(copy(copies, 3));
    assertEquals(List.of(2, 2), started);
  }

  private void refuse(VolumeCopies copies, long number) {
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.CAPABILITY_INVALID.number())
            .setMessage("it does not know this right")
            .setFailedOsd(2)
            .build();
    assertTrue(WorkerLost.isIn(failure(copy(copies, number))));
    state = ShareState.getDefaultInstance();
  }

  private Set<OsdId> beginning(VolumeCopies copies, long number) throws WeftException {
    return copies.beginning(component(number).name().object(), () -> true);
  }

  @Test
  void aTargetThatRefusesWorkersIsForThePrimaryAloneAndSlowsNoWorker() throws WeftException {
    worker(2);
    VolumeCopies copies = copies(1);
    meet(1);
    boolean[] comes = {true};
    ObjectId first = component(90).name().object();
    assertEquals(Set.of(), copies.beginning(first, () -> comes[0]), "the primary has a turn");
    refuse(copies, 1);
    assertEquals(Set.of(new OsdId(2)), beginning(copies, 2), "a worker is to copy it");
    assertEquals(2, copies.atOnce(OSDS_UP), "the worker has room all the time");
    comes[0] = false;
    assertEquals(Set.of(), beginning(copies, 2), "the turn of what does not come is free");
    CompletableFuture<RebuildOutcome> own = copy(copies, 2);
    time.runUntil("it is begun", () -> copies.managers() == 1);
    assertEquals(Set.of(new OsdId(2)), beginning(copies, 3));
    failure(own);
    assertEquals(Set.of(), beginning(copies, 3));
    assertEquals(List.of(2), started, "the worker was asked once");
  }

  @Test
  void aTurnIsKeptForWhatWasBegunForThePrimary() throws WeftException {
    worker(2);
    VolumeCopies copies = copies(1);
    meet(1);
    assertEquals(Set.of(), beginning(copies, 1));
    var unused = copy(copies, 2);
    time.runUntil("a worker has what came before it", () -> started.size() == 1);
    CompletableFuture<RebuildOutcome> own = copy(copies, 1);
    assertFalse(NoRoom.isIn(failure(own)), "it had a turn");
    assertEquals(List.of(2), started);
  }

  @Test
  void whatThePrimaryAloneMayCopyIsNotBegunWithoutATurnAndWorkersGoOn() throws WeftException {
    worker(2);
    VolumeCopies copies = copies(1);
    meet(1);
    assertEquals(Set.of(), beginning(copies, 90));
    refuse(copies, 1);
    WeftException refused = assertThrows(WeftException.class, () -> beginning(copies, 1));
    assertTrue(NoRoom.isIn(refused));
    assertFalse(copies.hasTurn());
    assertEquals(2, copies.atOnce(OSDS_UP), "workers do not wait for it");
    failure(copy(copies, 90));
    time.runUntil("the turn is over", copies::hasTurn);
    assertEquals(Set.of(), beginning(copies, 1));
    assertFalse(copies.hasTurn());
    assertFalse(NoRoom.isIn(failure(copy(copies, 1))));
  }

  @Test
  void aWorkerThatASourceRefusesIsToBlameAndNotTheTarget() {
    worker(2);
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.CAPABILITY_INVALID.number())
            .setMessage("it is to copy to another OSD")
            .setFailedOsd(3)
            .build();
    VolumeCopies copies = copies(0);
    meet(1);
    assertTrue(WorkerLost.isIn(failure(copy(copies, 1))));
    assertEquals(0, workers.room(), "the worker rests");
    pass(60_000);
    meet(1);
    failure(copy(copies, 2));
    assertEquals(List.of(2, 2), started, "the target is not refused");
  }

  @Test
  void theEndOfARightThatAnOldWorkerDoesNotRenewIsNotTheTargetsRefusal() {
    worker(2);
    VolumeCopies copies = copies(0);
    meet(1);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    long begunMillis = time.nowMillis();
    for (int minute = 1; minute <= 15; minute++) {
      state = ShareState.newBuilder().setBytesDone(minute).build();
      pass(60_000);
    }
    assertTrue(time.nowMillis() - begunMillis >= CapabilityMint.COPIERS_LIFE_MILLIS);
    assertFalse(copied.isDone());
    state =
        ShareState.newBuilder()
            .setError(ErrorCode.CAPABILITY_EXPIRED.number())
            .setMessage("the right is over")
            .setFailedOsd(2)
            .build();
    assertTrue(WorkerLost.isIn(failure(copied)));
    assertTrue(NoRoom.isIn(failure(copy(copies, 1))), "the primary copies that one itself");
    state = ShareState.newBuilder().setDone(true).build();
    CompletableFuture<RebuildOutcome> other = copy(copies, 2);
    time.runUntil("another file for the same OSD is copied", other::isDone);
    assertEquals(0, other.join().lostBlocks());
  }

  @Test
  void whatCannotBeAskedForIsNotWaitedForWithoutEnd() {
    worker(2);
    VolumeCopies copies =
        copies(
            0,
            environment.withClock(
                () -> {
                  throw new IllegalStateException("as the test wants it");
                }));
    meet(1);
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    pass(60_000);
    assertTrue(copied.isDone(), "it is waited for without end");
    assertTrue(WorkerLost.isIn(failure(copied)));
  }

  @Test
  void aCopyThatCannotBeginTakesNoTurnForGood() {
    VolumeCopies copies = copies(1);
    assertFalse(NoRoom.isIn(failure(copy(copies, component(1, 0)))));
    time.runUntil("the turn is over", copies::hasTurn);
    assertEquals(0, copies.managers());
  }

  @Test
  void thePrimaryCountsAsCopyingWhileItCopies() {
    VolumeCopies copies = copies(1);
    assertEquals(0, copies.managers());
    CompletableFuture<RebuildOutcome> copied = copy(copies, 1);
    time.runUntil("it is begun", () -> copies.managers() == 1);
    assertEquals(1, copies.atOnce(OSDS_UP));
    assertTrue(NoRoom.isIn(failure(copy(copies, 2))));
    failure(copied);
    assertEquals(0, copies.managers());
  }
}
