package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.ScriptedDaemon.Fault;
import org.weft.client.fake.ScriptedSysmgr;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.MkdirRequest;

/**
 * P 6.4 under random faults: lost requests and replies, silence, restarts, and refusals to serve.
 * What was answered was executed once; what failed was executed at most once.
 */
class RandomFaultsTest {
  private static final int REQUESTS = 120;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("weft.test.rounds", 60));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void answeredRequestsWereExecutedOnce(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    FakeClusterWorld world = new FakeClusterWorld(seed);
    ScriptedSysmgr member = new ScriptedSysmgr(CLUSTER, FakeClusterWorld.table(1, MANAGER, 3));
    member.startAt(world.wire, FakeClusterWorld.SYSMGR_1);
    Set<String> existing = new HashSet<>();
    FakeManager manager =
        new FakeManager(
            CLUSTER, 10_000, 1 + random.nextInt(8), (opcode, body) -> make(existing, body));
    manager.startAt(world.wire, MANAGER);
    ClusterView view =
        world
            .finish(
                ClusterView.open(
                    ClusterViewOptions.of(
                        List.of(FakeClusterWorld.SYSMGR_1), Optional.of(CLUSTER), "client"),
                    world.environment,
                    world.home))
            .join();
    VolumeSession session =
        new VolumeSession(
            SessionOptions.of(ROOT_VOLUME, "ann", List.of(), "test"),
            CLUSTER,
            view,
            world.environment,
            world.home);
    VolumeCalls calls = new VolumeCalls(session);

    List<CompletableFuture<?>> made = new ArrayList<>();
    for (int number = 0; number < REQUESTS; number++) {
      disturb(random, manager);
      made.add(
          random.nextInt(4) == 0
              ? calls.attributes("/d" + number)
              : calls.mkdir("/d" + number, 0777, 022, false));
      world.pass(random.nextInt(200));
    }
    made.forEach(world::finish);
    world.pass(60_000);

    Set<String> executed = new HashSet<>();
    for (String execution : manager.executions()) {
      assertTrue(executed.add(execution), execution + " was executed twice");
    }
    for (int number = 0; number < REQUESTS; number++) {
      // The manager's own rule makes a second execution visible as EXISTS.
      assertEquals("", failureOf(made.get(number)), "request " + number);
    }
    assertEquals(existing.size(), executed.size());
    assertEquals(List.of(), manager.stale());
    assertEquals(1, manager.sessionCount());
  }

  private static String failureOf(CompletableFuture<?> future) {
    return future.handle((value, failure) -> failure == null ? "" : failure.toString()).join();
  }

  private static MessageLite make(Set<String> existing, MessageLite request) throws WeftException {
    if (request instanceof MkdirRequest mkdir && !existing.add(mkdir.getNode().getPath())) {
      throw new WeftException(ErrorCode.EXISTS, mkdir.getNode().getPath() + " exists");
    }
    return AttributesReply.getDefaultInstance();
  }

  private static void disturb(SplittableRandom random, FakeManager manager) {
    if (manager.faultsToCome() > 2) {
      return;
    }
    Fault[] faults = Fault.values();
    switch (random.nextInt(6)) {
      case 0, 1 -> manager.next(faults[random.nextInt(faults.length)]);
      case 2 -> {
        if (random.nextInt(5) == 0) {
          manager.restart();
        }
      }
      default -> {}
    }
  }
}
