package org.weft.client.osd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.OsdStatusReply;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** One connection to each OSD, opened on demand, and typed calls over it. */
class OsdConnectionsTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final ClusterId OTHER = new ClusterId("ffffffffffffffffffffffffffffffff");
  private static final OsdId ONE = new OsdId(1);
  private static final byte[] KEY = new byte[32];
  private static final int TIMEOUT_MILLIS = 10_000;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final TreeMap<OsdId, List<Endpoint>> addresses = new TreeMap<>();

  /** Those that the directory finds once it looks for them. */
  private final TreeMap<OsdId, Endpoint> joining = new TreeMap<>();

  private final List<OsdId> looks = new ArrayList<>();
  private final OsdDirectory directory =
      new OsdDirectory() {
        @Override
        public List<Endpoint> addressesOf(OsdId osd) {
          return addresses.getOrDefault(osd, List.of());
        }

        @Override
        public CompletableFuture<Void> look(OsdId osd) {
          looks.add(osd);
          return CompletableFuture.runAsync(
              () -> {
                if (joining.containsKey(osd)) {
                  addresses.put(osd, List.of(joining.get(osd)));
                }
              },
              time.newPool("directory", 1, 1000));
        }
      };

  private final OsdConnections connections =
      new OsdConnections(
          new Environment(time, time, time, new Random(1), wire, () -> "boot"),
          directory,
          () -> Optional.of(CLUSTER),
          "client");
  private final OsdClient client = new OsdClient(connections, time.newPool("cpu", 2, 1000));

  private FakeOsd start(OsdId id, ClusterId cluster) {
    FakeOsd osd = FakeOsd.start(id, cluster, wire, time.newPool("osd", 2, 1000), KEY);
    addresses.put(id, List.of(osd.address()));
    return osd;
  }

  private CompletableFuture<OsdStatusReply> ask() {
    return client.status(ONE, TIMEOUT_MILLIS);
  }

  private WeftException failureOf(CompletableFuture<?> future) {
    return WeftException.of(assertThrows(CompletionException.class, () -> time.await(future)));
  }

  @Test
  void callsShareOneConnection() {
    var unused = start(ONE, CLUSTER);
    List<CompletableFuture<OsdStatusReply>> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(ask());
    }
    calls.forEach(time::await);
    time.await(ask());
    assertEquals(1, wire.connects());
  }

  @Test
  void anOsdThatNothingIsKnownOfIsLookedFor() {
    FakeOsd osd = FakeOsd.start(ONE, CLUSTER, wire, time.newPool("osd", 2, 1000), KEY);
    joining.put(ONE, osd.address());
    time.await(ask());
    assertEquals(1, wire.connects());
  }

  @Test
  void anOsdThatIsNotFoundIsUnavailable() {
    WeftException failure = failureOf(ask());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("not in the cluster's table"), failure.getMessage());
    assertEquals(List.of(ONE), looks);
  }

  @Test
  void noConnectionIsOpenedBeforeItIsNeeded() {
    var unused = start(ONE, CLUSTER);
    assertEquals(OptionalLong.empty(), connections.incarnationOf(ONE));
    assertEquals(0, wire.connects());
  }

  @Test
  void theIncarnationIsThatOfTheLastConnection() {
    FakeOsd osd = start(ONE, CLUSTER);
    List<Long> heard = new ArrayList<>();
    connections.addListener((id, incarnation) -> heard.add(incarnation));
    time.await(ask());
    assertEquals(OptionalLong.of(1), connections.incarnationOf(ONE));
    osd.restart();
    time.await(ask());
    assertEquals(OptionalLong.of(2), connections.incarnationOf(ONE));
    assertEquals(List.of(1L, 2L), heard);
  }

  @Test
  void duringThePauseAfterAFailureCallsFailAtOnce() {
    FakeOsd osd = start(ONE, CLUSTER);
    osd.stop();
    WeftException first = failureOf(ask());
    assertEquals(ErrorCode.UNAVAILABLE, first.code());
    assertTrue(first.getMessage().contains("OSD 1 at 127.0.0.1:"), first.getMessage());
    assertEquals(1, wire.connects());
    assertEquals(ErrorCode.UNAVAILABLE, failureOf(ask()).code());
    assertEquals(1, wire.connects());
  }

  @Test
  void aCallInThePauseHasTheConnectionOpenedLater() {
    FakeOsd osd = start(ONE, CLUSTER);
    osd.stop();
    failureOf(ask());
    failureOf(ask());
    osd.restart();
    time.pass(1_000_000_000L);
    assertEquals(2, wire.connects());
    assertEquals(OptionalLong.of(2), connections.incarnationOf(ONE));
    time.await(ask());
    assertEquals(2, wire.connects());
  }

  @Test
  void anAbsentOsdIsNotDialledWithoutACall() {
    start(ONE, CLUSTER).stop();
    failureOf(ask());
    time.pass(100_000_000_000L);
    assertEquals(1, wire.connects());
  }

  @Test
  void pausesGrowWhileTheOsdStaysAway() {
    start(ONE, CLUSTER).stop();
    for (int i = 0; i < 1000; i++) {
      failureOf(ask());
      time.pass(10_000_000L);
    }
    int inTenSeconds = wire.connects();
    assertTrue(inTenSeconds >= 5 && inTenSeconds <= 15, inTenSeconds + " connects");
  }

  @Test
  void anOsdIsInDoubtWhileItIsNotReached() {
    assertFalse(connections.isInDoubt(ONE), "nothing was asked of it");
    FakeOsd osd = start(ONE, CLUSTER);
    time.await(ask());
    assertFalse(connections.isInDoubt(ONE));
    Endpoint real = osd.address();
    addresses.put(ONE, List.of(new Endpoint("127.0.0.1", 1)));
    silence();
    var call = ask();
    time.pass(4_000_000_000L);
    assertTrue(connections.isInDoubt(ONE), "nothing comes");
    addresses.put(ONE, List.of(real));
    assertEquals(ErrorCode.CONNECTION_LOST, failureOf(call).code());
    assertFalse(connections.isInDoubt(ONE), "another connection stands");
    osd.stop();
    failureOf(ask());
    failureOf(ask());
    assertTrue(connections.isInDoubt(ONE), "no connection stands");
  }

  @Test
  void aNewDirectoryEndsThePause() {
    FakeOsd osd = start(ONE, CLUSTER);
    osd.stop();
    for (int i = 0; i < 500; i++) {
      failureOf(ask());
      time.pass(10_000_000L);
    }
    osd.restart();
    connections.directoryChanged();
    time.await(ask());
  }

  @Test
  void theNextAddressIsTriedWhenTheFirstDoesNotAnswer() {
    FakeOsd osd = start(ONE, CLUSTER);
    addresses.put(ONE, List.of(new Endpoint("127.0.0.1", 1), osd.address()));
    time.await(ask());
    assertEquals(2, wire.connects());
  }

  @Test
  void anUnknownOsdIsUnavailable() {
    WeftException failure = failureOf(ask());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("not in the cluster's table"), failure.getMessage());
  }

  @Test
  void anotherClustersOsdIsRefused() {
    var unused = start(ONE, OTHER);
    assertEquals(ErrorCode.WRONG_CLUSTER, failureOf(ask()).code());
  }

  @Test
  void anotherOsdAtTheAddressIsNotTakenForThisOne() {
    FakeOsd two = start(new OsdId(2), CLUSTER);
    addresses.put(ONE, List.of(two.address()));
    WeftException failure = failureOf(ask());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("found osd-2"), failure.getMessage());
  }

  /** As after a disk was replaced: the OSD on the new one has no number yet. */
  @Test
  void anOsdWithoutANumberIsNotTakenForThisOne() {
    FakeOsd fake = start(new OsdId(2), CLUSTER);
    fake.stop();
    ListenOptions unnumbered = ListenOptions.of(() -> Optional.of(CLUSTER), "osd", 1);
    var unused = wire.listen(fake.address(), unnumbered, fake).toCompletableFuture().join();
    addresses.put(ONE, List.of(fake.address()));
    WeftException failure = failureOf(ask());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("found osd;"), failure.getMessage());
  }

  @Test
  void aLostConnectionFailsItsCallsAndIsReplaced() {
    FakeOsd osd = start(ONE, CLUSTER);
    osd.faults(opcode -> Fault.CUT_BEFORE);
    assertEquals(ErrorCode.CONNECTION_LOST, failureOf(ask()).code());
    osd.faults(opcode -> Fault.NONE);
    time.await(ask());
    assertEquals(2, wire.connects());
  }

  private void silence() {
    wire.silenceConnections("", "");
  }

  @Test
  void aConnectionThatLeadsNowhereIsReplacedAndItsCallsFail() {
    var unused = start(ONE, CLUSTER);
    time.await(ask());
    silence();
    long begunNanos = time.nowNanos();
    assertEquals(ErrorCode.CONNECTION_LOST, failureOf(ask()).code());
    long tookNanos = time.nowNanos() - begunNanos;
    assertTrue(tookNanos < 3_000_000_000L, tookNanos + " ns");
    assertEquals(2, wire.connects());
    time.await(ask());
    assertEquals(2, wire.connects());
  }

  @Test
  void shortCallsAlsoFindASilentConnection() {
    var unused = start(ONE, CLUSTER);
    time.await(ask());
    silence();
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failureOf(client.status(ONE, 1_000)).code());
    time.pass(2_000_000_000L);
    assertEquals(2, wire.connects());
    time.await(client.status(ONE, 1_000));
  }

  @Test
  void aSlowOsdThatGivesASignKeepsItsConnection() {
    FakeOsd osd = start(ONE, CLUSTER);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    osd.faults(opcode -> opcode == Opcode.OSD_STATUS ? Fault.NONE : Fault.hold(gate));
    OsdTarget target = new OsdTarget(ONE, manager(), 60_000);
    var slow = client.getAttributes(target, GetAttributesRequest.newBuilder().setObjectId(70_000));
    time.pass(30_000_000_000L);
    assertFalse(slow.isDone());
    assertEquals(1, wire.connects());
    gate.complete(null);
    assertEquals(ErrorCode.NO_SUCH_OBJECT, failureOf(slow).code());
  }

  @Test
  void aSilentOsdGetsMoreTimeAtEachAttempt() {
    start(ONE, CLUSTER).faults(opcode -> Fault.SILENCE);
    for (int i = 0; i < 600; i++) {
      var unused = ask();
      time.pass(100_000_000L);
    }
    int inAMinute = wire.connects();
    assertTrue(inAMinute >= 4 && inAMinute <= 8, inAMinute + " connects");
  }

  @Test
  void whileNoOtherConnectionStandsTheSilentOneIsKept() {
    FakeOsd osd = start(ONE, CLUSTER);
    time.await(ask());
    Endpoint real = osd.address();
    addresses.put(ONE, List.of(new Endpoint("127.0.0.1", 1)));
    silence();
    var call = ask();
    time.pass(8_000_000_000L);
    assertFalse(call.isDone());
    int tries = wire.connects() - 1;
    assertTrue(tries >= 2 && tries <= 5, tries + " connects");
    addresses.put(ONE, List.of(real));
    time.pass(1_900_000_000L);
    assertEquals(ErrorCode.CONNECTION_LOST, failureOf(call).code());
  }

  @Test
  void anIdleConnectionIsNotChecked() {
    var unused = start(ONE, CLUSTER);
    time.await(ask());
    time.pass(3_600_000_000_000L);
    assertEquals(1, wire.connects());
    silence();
    time.pass(20_000_000_000L);
    assertEquals(1, wire.connects());
  }

  @Test
  void theAddressThatAnsweredLastIsDialledFirst() {
    FakeOsd osd = start(ONE, CLUSTER);
    addresses.put(ONE, List.of(new Endpoint("127.0.0.1", 1), osd.address()));
    time.await(ask());
    assertEquals(2, wire.connects());
    osd.restart();
    time.await(ask());
    assertEquals(3, wire.connects());
  }

  @Test
  void afterCloseNothingIsCalled() {
    var unused = start(ONE, CLUSTER);
    CompletableFuture<OsdStatusReply> underWay = ask();
    connections.close();
    assertEquals(ErrorCode.CANCELLED, failureOf(underWay).code());
    assertEquals(ErrorCode.CANCELLED, failureOf(ask()).code());
    assertEquals(ErrorCode.CANCELLED, failureOf(client.status(new OsdId(9), 10)).code());
  }

  @Test
  void thePayloadIsReleasedWhateverBecomesOfTheCall() {
    FakeOsd osd = start(ONE, CLUSTER);
    int[] released = {0};
    OsdTarget target = new OsdTarget(ONE, manager(), TIMEOUT_MILLIS);
    var written = client.write(target, WriteRequest.newBuilder(), payload(released));
    failureOf(written);
    osd.stop();
    failureOf(client.write(target, WriteRequest.newBuilder(), payload(released)));
    failureOf(client.write(target, WriteRequest.newBuilder(), payload(released)));
    var cancelled = client.write(target, WriteRequest.newBuilder(), payload(released));
    cancelled.cancel(false);
    connections.close();
    failureOf(client.write(target, WriteRequest.newBuilder(), payload(released)));
    time.pass(100_000_000_000L);
    assertEquals(5, released[0]);
  }

  private static Payload payload(int[] released) {
    return Payload.of(List.of(ByteBuffer.allocate(10)), () -> released[0]++);
  }

  private static SignedCapability manager() {
    Capability capability =
        new Capability(
            ObjectName.of(7, 0),
            Right.bits(Right.values()),
            1,
            Lsn.of(2, 0).value(),
            0,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            0,
            0,
            0);
    return SignedCapability.sign(capability, KEY);
  }

  @Test
  void itemsOfABatchSucceedAndFailOneByOne() {
    FakeOsd osd = start(ONE, CLUSTER);
    AttributePage page =
        AttributePage.newBuilder().setLsn(5).setValue(ByteString.copyFromUtf8("x")).build();
    SetAttributesRequest.Builder create =
        SetAttributesRequest.newBuilder()
            .setObjectId(70_000)
            .addPages(page)
            .setCreate(ComponentTag.getDefaultInstance());
    SetAttributesRequest.Builder absent =
        SetAttributesRequest.newBuilder().setObjectId(70_001).addPages(page);
    RemoveRequest.Builder remove = RemoveRequest.newBuilder().setObjectId(70_002).setLsn(9);
    BatchReply reply =
        time.await(
            client.batch(
                ONE,
                List.of(
                    BatchCall.setAttributes(manager(), create),
                    BatchCall.setAttributes(manager(), absent),
                    BatchCall.remove(manager(), remove)),
                TIMEOUT_MILLIS));
    assertEquals(0, reply.getItems(0).getError());
    assertEquals(ErrorCode.NO_SUCH_OBJECT, ErrorCode.of(reply.getItems(1).getError()));
    assertEquals(0, reply.getItems(2).getError());
    assertEquals(Optional.of(page.getValue()), osd.attributePage(ObjectName.of(7, 70_000)));
  }

  @Test
  void refusalsNameTheOsdAndTheCommand() {
    var unused = start(ONE, CLUSTER);
    WeftException failure =
        failureOf(
            client.getAttributes(
                new OsdTarget(ONE, manager(), TIMEOUT_MILLIS),
                GetAttributesRequest.newBuilder().setObjectId(70_000)));
    assertEquals(ErrorCode.NO_SUCH_OBJECT, failure.code());
    assertTrue(failure.getMessage().startsWith("OSD 1, GET_ATTRIBUTES: "), failure.getMessage());
    assertFalse(failure.getMessage().contains("WeftException"), failure.getMessage());
  }
}
