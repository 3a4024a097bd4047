package org.weft.metadata.serving.fence;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.FenceReply;
import org.weft.protocol.wire.FenceRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** An OSD that a table calls down is told so, until it has heard. */
class QuarantineNotifierTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final Endpoint ADDRESS = new Endpoint("osd-1", 7_501);

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final Environment environment =
      new Environment(time, time, time, new SplittableRandom(1), wire, () -> "boot");
  private final OwnedExecutor home = time.newSerialExecutor("home");
  private final List<ClusterTable> applied = new ArrayList<>();

  /** Quarantines that the OSD was told of, whether or not it answered. */
  private final List<Long> told = new ArrayList<>();

  private boolean answers;
  private final QuarantineNotifier tables =
      new QuarantineNotifier(
          new OsdClient(
              new OsdConnections(
                  environment, osd -> List.of(ADDRESS), () -> Optional.of(CLUSTER), "manager-1"),
              home),
          new ManagerCapability(
              new CapabilityMint(new PartitionId(1), new WorkingKeys(1, new byte[32])), 3),
          3,
          time,
          home,
          applied::add);

  @BeforeEach
  void listen() {
    time.await(
        wire.listen(
                ADDRESS,
                ListenOptions.of(() -> Optional.of(CLUSTER), "osd-" + new OsdId(1), 1),
                this::handle)
            .toCompletableFuture());
  }

  private void handle(InboundRequest request) {
    if (request.opcodeNumber() != Opcode.FENCE.number()) {
      request.fail(ErrorCode.UNSUPPORTED, "a test answers fences alone");
      return;
    }
    try {
      told.add(request.parse(FenceRequest.parser()).getQuarantine());
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
    if (answers) {
      request.reply(FenceReply.getDefaultInstance());
    }
  }

  private void table(long version, NodeState state, long quarantine) {
    OsdRow row =
        OsdRow.newBuilder()
            .setOsdId(1)
            .setState(state)
            .setIncarnation(1)
            .setQuarantine(quarantine)
            .build();
    ClusterTable table = ClusterTable.newBuilder().setVersion(version).addOsds(row).build();
    home.execute(() -> tables.next(table));
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void silentOsdIsNotifiedAgainWithoutANewTable() {
    table(7, NodeState.DOWN, 4);
    pass(1_900);
    assertEquals(1, applied.size(), "the table waits for longer than a second");
    answers = true;
    int before = told.size();
    pass(2_100);
    assertEquals(before + 1, told.size());
    assertEquals(5, told.get(before));
    pass(60_000);
    assertEquals(before + 1, told.size(), "it has answered");
  }

  @Test
  void osdThatIsUpAgainIsNotNotified() {
    table(7, NodeState.DOWN, 4);
    pass(1_500);
    table(8, NodeState.UP, 5);
    int before = told.size();
    pass(60_000);
    assertEquals(before, told.size());
  }

  @Test
  void onlyTheNewestQuarantineIsNotified() {
    table(7, NodeState.DOWN, 4);
    pass(1_500);
    table(8, NodeState.DOWN, 5);
    told.clear();
    pass(10_000);
    assertEquals(List.of(6L), told.stream().distinct().toList());
  }

  @Test
  void osdThatAnsweredIsNotNotifiedAgain() {
    answers = true;
    table(7, NodeState.DOWN, 4);
    pass(100);
    table(8, NodeState.DOWN, 4);
    pass(60_000);
    assertEquals(List.of(5L), told);
    assertEquals(2, applied.size());
  }
}
