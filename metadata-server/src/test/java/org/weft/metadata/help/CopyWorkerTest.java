package org.weft.metadata.help;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.repair.RepairOptions;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.EndShareRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.ShareIdentity;
import org.weft.protocol.wire.ShareState;
import org.weft.protocol.wire.WatchShareRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** Which managers a worker copies for, how much, until when, and by what right (P 6.8). */
class CopyWorkerTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final Endpoint ADDRESS = new Endpoint("worker", 7310);
  private static final int AT_ONCE = 2;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final byte[] secret = new byte[32];
  private final CopySlots slots = new CopySlots();
  private final List<FakeOsd> osds = new ArrayList<>();

  private RpcConnection connect(RpcService service) {
    time.await(
        wire.listen(ADDRESS, ListenOptions.of(() -> Optional.of(CLUSTER), "worker", 0), service)
            .toCompletableFuture());
    return time.await(
        wire.connect(ADDRESS, ConnectOptions.to(Optional.of(CLUSTER), "primary"))
            .toCompletableFuture());
  }

  private RpcConnection worker(int filesAtOnce) {
    CopyWorker worker =
        new CopyWorker(
            environment, secret, filesAtOnce, RepairOptions.DEFAULT_SHARE_PERCENT, slots);
    worker.begin(
        new StripeEngine(
            environment,
            new OsdConnections(environment, this::addresses, () -> Optional.of(CLUSTER), "worker"),
            time.newPool("engine", 1, 100),
            StripeOptions.defaults()));
    return connect(worker::handle);
  }

  /** None can be reached, unless a test starts some. */
  private List<Endpoint> addresses(OsdId id) {
    return osds.stream().filter(osd -> osd.id().equals(id)).map(FakeOsd::address).toList();
  }

  private static ShareIdentity share(int number) {
    return ShareIdentity.newBuilder().setVolumeId(1).setEpoch(3).setNumber(number).build();
  }

  private static MessageLite start(int number) {
    return start(number, new SignedCapability(ByteString.EMPTY, new byte[32]), 5, 1 << 20);
  }

  private static MessageLite start(
      int number, SignedCapability capability, long incarnation, long sizeBytes) {
    StorageMap map =
        StorageMap.of(Layout.of(2, 1), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
    return new ComponentCopy(
            new ObjectName(new PartitionId(1), new ObjectId(9)),
            map,
            Optional.empty(),
            capability,
            1,
            incarnation,
            number,
            sizeBytes,
            0,
            new TreeSet<>(),
            50)
        .toMessage(share(number));
  }

  private static MessageLite watch(int number) {
    return WatchShareRequest.newBuilder().setShare(share(number)).build();
  }

  private CompletableFuture<RpcReply> ask(RpcConnection to, Opcode opcode, MessageLite body) {
    return to.call(RpcRequest.proven(opcode, body, 3_000, secret));
  }

  private ErrorCode failure(CompletableFuture<RpcReply> call) {
    time.runUntil("it is answered", call::isDone);
    return WeftException.of(assertThrows(CompletionException.class, call::join)).code();
  }

  private void pass(long millis) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    time.schedule(
        TimeUnit.MILLISECONDS.toNanos(millis), Runnable::run, () -> passed.complete(null));
    time.runUntil("time has passed", passed::isDone);
  }

  @Test
  void workerRefusesAManagerWithoutTheJoinToken() {
    RpcConnection connection = worker(AT_ONCE);
    byte[] other = new byte[32];
    other[0] = 1;
    assertEquals(
        ErrorCode.UNAUTHENTICATED,
        failure(connection.call(RpcRequest.signed(Opcode.START_SHARE, start(1), 3_000, other))));
    assertEquals(ErrorCode.NOT_FOUND, failure(ask(connection, Opcode.WATCH_SHARE, watch(1))));
  }

  @Test
  void itsOwnVolumesLeaveOtherManagersWhatTheyDoNotNeed() {
    RpcConnection connection = worker(AT_ONCE);
    slots.begin();
    time.await(ask(connection, Opcode.START_SHARE, start(1)));
    time.await(ask(connection, Opcode.START_SHARE, start(1)));
    assertEquals(ErrorCode.BUSY, failure(ask(connection, Opcode.START_SHARE, start(2))));
    slots.end();
    time.await(ask(connection, Opcode.START_SHARE, start(2)));
    assertEquals(ErrorCode.BUSY, failure(ask(connection, Opcode.START_SHARE, start(3))));
  }

  @Test
  void managerWithoutRebuildsCopiesNothingForOthers() {
    RpcConnection connection = worker(RepairOptions.OFF.filesAtOnce());
    assertEquals(ErrorCode.BUSY, failure(ask(connection, Opcode.START_SHARE, start(1))));
  }

  @Test
  void failedCopyNamesTheOsdAndIsNeverReportedDone() throws Exception {
    RpcConnection connection = worker(AT_ONCE);
    time.await(ask(connection, Opcode.START_SHARE, start(1)));
    ShareState state = ShareState.getDefaultInstance();
    for (int look = 0; look < 30 && state.getError() == 0; look++) {
      RpcReply reply = time.await(ask(connection, Opcode.WATCH_SHARE, watch(1)));
      state = reply.parse(ShareState.parser());
      assertFalse(state.getDone());
    }
    assertEquals(ErrorCode.UNAVAILABLE.number(), state.getError(), state::toString);
    assertTrue(Set.of(1, 2, 3).contains(state.getFailedOsd()), state::toString);
    time.await(
        ask(connection, Opcode.END_SHARE, EndShareRequest.newBuilder().setShare(share(1)).build()));
    assertEquals(ErrorCode.NOT_FOUND, failure(ask(connection, Opcode.WATCH_SHARE, watch(1))));
  }

  /** The first capability is of no use, and the second comes before an OSD has answered. */
  @Test
  void aComponentIsWrittenByTheCapabilityThatCameLast() throws Exception {
    byte[] key = new byte[32];
    AtomicBoolean open = new AtomicBoolean();
    for (int id = 1; id <= 3; id++) {
      FakeOsd osd =
          FakeOsd.start(new OsdId(id), CLUSTER, wire, time.newPool("osd-" + id, 1, 100), key);
      osd.faults(opcode -> open.get() ? Fault.NONE : Fault.refuse(ErrorCode.UNAVAILABLE));
      osds.add(osd);
    }
    FakeOsd target = osds.get(1);
    ObjectId object = new ObjectId(9);
    CapabilityMint mint = new CapabilityMint(new PartitionId(1), new WorkingKeys(1, key));
    SignedCapability useless = mint.reader(object, Lsn.of(3, 1), 1, new SessionId(1), 0);
    long lateMillis = time.nowMillis() + CapabilityMint.LIFE_MILLIS;
    SignedCapability good =
        mint.copier(object, new Lsn(1), target.id(), target.incarnation(), lateMillis);
    RpcConnection connection = worker(AT_ONCE);
    time.await(ask(connection, Opcode.START_SHARE, start(1, useless, target.incarnation(), 0)));
    WatchShareRequest renewal =
        WatchShareRequest.newBuilder()
            .setShare(share(1))
            .setCapability(good.encoded())
            .setSecret(ByteString.copyFrom(good.secret()))
            .build();
    CompletableFuture<RpcReply> watched = ask(connection, Opcode.WATCH_SHARE, renewal);
    pass(50);
    open.set(true);
    ShareState state = time.await(watched).parse(ShareState.parser());
    for (int look = 0; look < 30 && !state.getDone() && state.getError() == 0; look++) {
      state = time.await(ask(connection, Opcode.WATCH_SHARE, watch(1))).parse(ShareState.parser());
    }
    assertTrue(state.getDone(), state::toString);
    assertEquals(
        Set.of(new ObjectName(new PartitionId(1), object)), target.objects(), "it is made");
  }

  @Test
  void aShareThatIsNotWatchedIsForgotten() {
    RpcConnection connection = worker(AT_ONCE);
    time.await(ask(connection, Opcode.START_SHARE, start(1)));
    time.await(ask(connection, Opcode.WATCH_SHARE, watch(1)));
    pass(TimeUnit.NANOSECONDS.toMillis(CopyWorker.UNWATCHED_NANOS) + 2_000);
    assertEquals(ErrorCode.NOT_FOUND, failure(ask(connection, Opcode.WATCH_SHARE, watch(1))));
  }

  private CopyWorkers workers() {
    CopyWorkers workers =
        new CopyWorkers(environment, () -> Optional.of(CLUSTER), () -> 1, secret, AT_ONCE);
    ClusterTable table =
        ClusterTable.newBuilder()
            .addManagers(manager(1))
            .addManagers(manager(2))
            .addManagers(manager(3).toBuilder().setDraining(true))
            .addManagers(manager(4).toBuilder().setState(NodeState.DOWN))
            .build();
    workers.begin(() -> table);
    return workers;
  }

  private static ManagerRow manager(int id) {
    return ManagerRow.newBuilder()
        .setManagerId(id)
        .setState(NodeState.UP)
        .addAddresses(ADDRESS.toMessage())
        .build();
  }

  @Test
  void onlyUpUndrainedManagersWithRoomAreAsked() {
    worker(AT_ONCE);
    CopyWorkers workers = workers();
    assertEquals(0, workers.room());
    workers.meet();
    time.runUntil("it is connected", () -> workers.room() == 1);
    assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
    assertTrue(workers.take(Set.of()).isEmpty(), "it has not taken the first yet");
    workers.accepted(2);
    assertEquals(2, workers.take(Set.of()).orElseThrow().getManagerId());
    workers.accepted(2);
    assertTrue(workers.take(Set.of()).isEmpty());
    workers.ended(2, true);
    assertEquals(1, workers.room());
    workers.refused(2);
    assertEquals(0, workers.room());
    pass(TimeUnit.NANOSECONDS.toMillis(CopyWorkers.BUSY_NANOS) + 1);
    assertEquals(1, workers.room());
  }

  @Test
  void aManagerOfAnEarlierReleaseIsGivenNothing() {
    TreeSet<Integer> asked = new TreeSet<>();
    connect(
        request -> {
          asked.add(request.opcodeNumber());
          request.fail(ErrorCode.UNSUPPORTED, "a manager does not answer that");
        });
    CopyWorkers workers = workers();
    CompletableFuture<RpcConnection> connected = workers.connected(manager(2));
    time.runUntil("it was asked", connected::isDone);
    assertTrue(connected.isCompletedExceptionally());
    assertEquals(0, workers.room());
    assertEquals(Set.of(Opcode.WATCH_SHARE.number()), asked);
  }

  @Test
  void aManagerWithoutTheJoinTokenIsGivenNothing() {
    byte[] other = new byte[32];
    other[0] = 1;
    connect(
        new CopyWorker(
                environment, other, AT_ONCE, RepairOptions.DEFAULT_SHARE_PERCENT, new CopySlots())
            ::handle);
    CopyWorkers workers = workers();
    CompletableFuture<RpcConnection> connected = workers.connected(manager(2));
    time.runUntil("it was asked", connected::isDone);
    assertTrue(connected.isCompletedExceptionally());
  }
}
