package org.weft.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.OTHER_CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_1;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_2;
import static org.weft.client.fake.FakeClusterWorld.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.ScriptedDaemon.Fault;
import org.weft.client.fake.ScriptedSysmgr;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

class ClusterViewTest {
  private static final int LEADERLESS_MILLIS = 60_000;

  private final FakeClusterWorld world = new FakeClusterWorld(1);
  private final ScriptedSysmgr first = new ScriptedSysmgr(CLUSTER, table(5, MANAGER, 3));
  private final ScriptedSysmgr second = new ScriptedSysmgr(CLUSTER, table(5, MANAGER, 3));

  ClusterViewTest() {
    first.startAt(world.wire, SYSMGR_1);
    second.startAt(world.wire, SYSMGR_2);
  }

  private CompletableFuture<ClusterView> opening(Optional<ClusterId> expected) {
    return ClusterView.open(
        ClusterViewOptions.of(List.of(SYSMGR_1, SYSMGR_2), expected, "client"),
        world.environment,
        world.home);
  }

  private CompletableFuture<ClusterView> openingOfClient() {
    return ClusterView.open(
        ClusterViewOptions.of(List.of(SYSMGR_1, SYSMGR_2), Optional.empty(), "client")
            .ofClient(LEADERLESS_MILLIS, Optional.of("here.example")),
        world.environment,
        world.home);
  }

  private ClusterView open() {
    return world.finish(opening(Optional.empty())).join();
  }

  private static ErrorCode codeOf(CompletableFuture<?> failed) {
    ExecutionException thrown = assertThrows(ExecutionException.class, failed::get);
    return WeftException.of(thrown).code();
  }

  @Test
  void knowsOsdsManagersAndVolumesOnceOpen() {
    ClusterView view = open();

    assertEquals(5, view.version());
    assertEquals(CLUSTER, view.clusterId());
    assertEquals(List.of(new Endpoint("osd-2", 7402)), view.addressesOf(new OsdId(2)));
    assertEquals(List.of(), view.addressesOf(new OsdId(9)));
    assertEquals(List.of(MANAGER), view.managerAddressesOf(ROOT_VOLUME));
    assertEquals(ROOT_VOLUME, view.rootVolume().orElseThrow().getVolumeId());
    assertEquals(2, view.osd(new OsdId(2)).orElseThrow().getOsdId());
  }

  @Test
  void asksTheNextMemberWhenOneIsDownOrDoesNotLead() {
    first.stop();
    assertEquals(5, open().version());

    first.start();
    first.lead(false);
    assertEquals(5, open().version());
  }

  @Test
  void goesOnTryingUntilAMemberComesUp() {
    first.stop();
    second.stop();
    CompletableFuture<ClusterView> opening = opening(Optional.empty());
    world.pass(3_000);
    assertFalse(opening.isDone());

    second.start();
    assertEquals(5, world.finish(opening).join().version());
  }

  @Test
  void failsNamingEveryAddressWhenNoMemberAnswersInTime() {
    first.stop();
    second.stop();
    CompletableFuture<ClusterView> opening = world.finish(opening(Optional.empty()));

    ExecutionException thrown = assertThrows(ExecutionException.class, opening::get);
    WeftException failure = WeftException.of(thrown);
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    assertTrue(failure.getMessage().contains("sysmgr-1:7300"), failure.getMessage());
    assertTrue(failure.getMessage().contains("sysmgr-2:7301"), failure.getMessage());
  }

  /** A job that starts while SysMgr elects a leader waits as one that runs already does. */
  @Test
  void openingWaitsLongerForAClusterWithoutALeader() {
    // As a real connection names the member that refused.
    first.refuse("fake at " + SYSMGR_1 + ": no leader is known");
    second.stop();
    CompletableFuture<ClusterView> opening = openingOfClient();
    world.pass(ClusterViewOptions.DEFAULT_OPEN_TIMEOUT_MILLIS + LEADERLESS_MILLIS / 2);
    assertFalse(opening.isDone(), "a member has answered");
    first.stop();
    world.pass(LEADERLESS_MILLIS / 4);
    assertFalse(opening.isDone(), "the cluster is known to be there");

    first.start();
    first.lead(true);
    assertEquals(5, world.finish(opening).join().version());
  }

  @Test
  void aClientDoesNotWaitForALeaderForEver() {
    first.lead(false);
    second.lead(false);
    CompletableFuture<ClusterView> opening = openingOfClient();
    world.pass(LEADERLESS_MILLIS + 1_000);

    assertTrue(opening.isDone());
    assertEquals(ErrorCode.UNAVAILABLE, codeOf(opening));
  }

  @Test
  void aClientDoesNotWaitForAnAddressThatDoesNotAnswer() {
    first.stop();
    second.stop();
    CompletableFuture<ClusterView> opening = openingOfClient();
    world.pass(ClusterViewOptions.DEFAULT_OPEN_TIMEOUT_MILLIS + 1_000);

    assertTrue(opening.isDone());
    assertEquals(ErrorCode.UNAVAILABLE, codeOf(opening));
  }

  @Test
  void osdsThatAreUpAtTheOwnHostAreNear() {
    first.table(
        table(6, MANAGER, 0).toBuilder()
            .addOsds(osd(1, "here.example", NodeState.UP))
            .addOsds(osd(2, "there.example", NodeState.UP))
            .addOsds(osd(3, "here.example", NodeState.DOWN))
            .addOsds(osd(4, "Here.example", NodeState.UP))
            .build());
    ClusterView view = world.finish(openingOfClient()).join();

    assertEquals(
        List.of(1, 4),
        IntStream.rangeClosed(1, 5).filter(id -> view.isNear(new OsdId(id))).boxed().toList());
  }

  private static OsdRow osd(int id, String host, NodeState state) {
    return OsdRow.newBuilder().setOsdId(id).setHost(host).setState(state).build();
  }

  @Test
  void refusesAnotherClusterAtOnce() {
    assertEquals(
        ErrorCode.WRONG_CLUSTER, codeOf(world.finish(opening(Optional.of(OTHER_CLUSTER)))));
  }

  @Test
  void refusesATableOfAnotherClusterThanTheOneKnown() {
    ClusterView view = open();
    first.table(table(6, MANAGER, 3).toBuilder().setClusterId(OTHER_CLUSTER.value()).build());

    assertEquals(ErrorCode.WRONG_CLUSTER, codeOf(world.finish(view.refresh())));
    assertEquals(5, view.version());
    assertEquals(CLUSTER, view.clusterId());
  }

  @Test
  void fetchesTheVersionItHeardOfAlthoughTheFirstMemberLagsBehind() {
    ClusterView view = open();
    List<Long> heard = new ArrayList<>();
    view.addListener(table -> heard.add(table.getVersion()));
    view.heard(7);
    world.pass(500);
    assertEquals(5, view.version());

    first.table(table(7, new Endpoint("elsewhere", 2), 4));
    assertTrue(world.runUntil(() -> view.version() == 7, 3_000));
    assertEquals(List.of(new Endpoint("elsewhere", 2)), view.managerAddressesOf(ROOT_VOLUME));
    assertEquals(List.of(7L), heard);
  }

  @Test
  void looksAgainPeriodically() {
    ClusterView view = open();
    first.table(table(6, MANAGER, 4));

    assertTrue(world.runUntil(() -> view.version() == 6, 10_000));
  }

  @Test
  void neverGoesBackToAnOlderTable() {
    ClusterView view = open();
    first.table(table(4, MANAGER, 1));
    world.finish(view.refresh()).join();

    assertEquals(5, view.version());
    assertEquals(1, view.addressesOf(new OsdId(3)).size());
  }

  @Test
  void keepsTheLastTableWhileNoMemberAnswersAndRecovers() {
    ClusterView view = open();
    first.stop();
    second.stop();
    assertEquals(ErrorCode.UNAVAILABLE, codeOf(world.finish(view.refresh())));
    assertEquals(5, view.version());

    first.table(table(8, MANAGER, 3));
    first.start();
    second.table(table(8, MANAGER, 3));
    second.start();
    assertTrue(world.runUntil(() -> view.version() == 8, 60_000));
  }

  @Test
  void asksAnotherMemberWhenTheAnswerGetsLost() {
    ClusterView view = open();
    first.table(table(6, MANAGER, 3));
    second.table(table(6, MANAGER, 3));
    first.next(Fault.SWALLOW_REPLY);

    assertEquals(6, world.finish(view.refresh()).join().getVersion());
  }

  /** The version is told by another daemon while a look at the table waits at a silent member. */
  @Test
  void aNewVersionIsFetchedPastASilentMember() {
    ClusterView view = open();
    first.mute(true);
    second.table(table(6, MANAGER, 3));
    CompletableFuture<ClusterTable> looking = view.refresh();
    view.heard(6);

    assertTrue(world.runUntil(() -> view.version() == 6, 1_000));
    assertEquals(6, world.finish(looking).join().getVersion());
    second.table(table(7, MANAGER, 3));
    assertEquals(7, world.finish(view.refresh()).join().getVersion());
  }

  @Test
  void theOnlyLeaderIsAskedAgainWhenItsAnswerGetsLost() {
    ClusterView view = open();
    second.lead(false);
    first.table(table(6, MANAGER, 3));
    first.next(Fault.SWALLOW_REPLY);

    assertEquals(6, world.finish(view.refresh()).join().getVersion());
  }

  @Test
  void anOsdOfANewerTableIsFound() {
    ClusterView view = open();
    first.table(table(6, MANAGER, 4));

    world.finish(view.look(new OsdId(4))).join();
    assertEquals(List.of(new Endpoint("osd-4", 7404)), view.addressesOf(new OsdId(4)));
  }

  @Test
  void anOsdOfThisTableIsNotAskedFor() {
    ClusterView view = open();
    int received = first.received().size();

    world.finish(view.look(new OsdId(2))).join();
    assertEquals(received, first.received().size());
  }

  @Test
  void anOsdThatNoMemberCanTellOfIsNotFound() {
    ClusterView view = open();
    first.stop();
    second.stop();

    world.finish(view.look(new OsdId(4))).join();
    assertEquals(List.of(), view.addressesOf(new OsdId(4)));
  }

  @Test
  void asksForTheStatusEachTime() {
    ClusterView view = open();
    assertEquals("write-back", world.finish(view.status()).join().getDurability());
    first.lead(false);
    second.table(table(9, MANAGER, 3));
    assertEquals(9, world.finish(view.status()).join().getTable().getVersion());
  }

  @Test
  void stopsLookingOnceClosed() {
    ClusterView view = open();
    view.close();
    world.pass(1);
    int received = first.received().size();
    world.pass(60_000);

    assertEquals(received, first.received().size());
    assertEquals(ErrorCode.UNAVAILABLE, codeOf(world.finish(view.refresh())));
    assertEquals(5, view.version());
  }

  @Test
  void onlyViewsThatAskRefreshFiguresOfTheSameVersion() {
    ClusterViewOptions options =
        ClusterViewOptions.of(List.of(SYSMGR_1), Optional.empty(), "manager-1");
    ClusterView placing =
        world.finish(ClusterView.open(options.withFigures(), world.environment, world.home)).join();
    ClusterView reading =
        world.finish(ClusterView.open(options, world.environment, world.home)).join();

    first.table(used(77));
    world.finish(placing.refresh()).join();
    world.finish(reading.refresh()).join();

    assertEquals(77, placing.osd(new OsdId(2)).orElseThrow().getUsedBytes());
    assertEquals(0, reading.osd(new OsdId(2)).orElseThrow().getUsedBytes());
  }

  @Test
  void aDaemonIgnoresTablesWithoutTheJoinSecret() {
    ClusterViewOptions options =
        ClusterViewOptions.of(List.of(SYSMGR_1), Optional.empty(), "manager-1")
            .provenBy(new byte[] {1, 2, 3});

    // The fake member signs nothing.
    assertEquals(
        ErrorCode.UNAVAILABLE,
        codeOf(world.finish(ClusterView.open(options, world.environment, world.home))));
  }

  private static ClusterTable used(long bytes) {
    ClusterTable.Builder table = table(5, MANAGER, 3).toBuilder();
    table.getOsdsBuilderList().forEach(osd -> osd.setUsedBytes(bytes));
    return table.build();
  }
}
