package org.weft.sysmgr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.testkit.process.Await;

/**
 * A rolling upgrade of three members over Ratis (P 6.8.151): the first one is of this release, the
 * others are older and would stop for ever at an entry that they do not know.
 */
final class MixedReleasesTest {
  private static final int MEMBERS = 3;
  private static final int SNAPSHOT_EVERY = 10;
  private static final int MAX_TURNS = 20;

  @TempDir Path root;

  private final List<SysmgrMember> members = new ArrayList<>();
  private final SysmgrDaemon[] daemons = new SysmgrDaemon[MEMBERS];
  private final OlderMember[] older = new OlderMember[MEMBERS];
  private SystemEnvironment system;
  private int joined;

  @BeforeEach
  void open() throws Exception {
    system = SystemEnvironment.create();
    List<Integer> ports = MemberPorts.of(2 * MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
      members.add(
          new SysmgrMember(
              i + 1,
              new Endpoint("127.0.0.1", ports.get(2 * i)),
              new Endpoint("127.0.0.1", ports.get(2 * i + 1))));
    }
  }

  @AfterEach
  void close() throws Exception {
    Closing.all(Arrays.asList(daemons));
    Closing.all(Arrays.asList(older));
    system.close();
  }

  private Path folder(int index) {
    return root.resolve("member-" + members.get(index).memberId());
  }

  private void start(int index) throws IOException {
    SysmgrMember self = members.get(index);
    SysmgrOptions options =
        new SysmgrOptions(
            folder(index),
            self.memberId(),
            members,
            self.rpc(),
            new Endpoint("127.0.0.1", 0),
            self.ratis(),
            "test",
            "root");
    daemons[index] = SysmgrDaemon.start(options, system.environment(), SNAPSHOT_EVERY);
  }

  private void startOlder(int index) throws Exception {
    older[index] =
        OlderMember.start(
            folder(index),
            members.get(index).memberId(),
            members,
            system.environment(),
            SNAPSHOT_EVERY);
  }

  private void stop(int index) throws IOException {
    if (daemons[index] != null) {
      daemons[index].close();
      daemons[index] = null;
    }
    if (older[index] != null) {
      older[index].close();
      older[index] = null;
    }
  }

  /** The leader hears within a second that a member was upgraded. */
  private static void awaitRefusal(SysmgrClient client, String why) {
    Await.until(
        "a pause is refused: " + why,
        () -> {
          try {
            var unused = pause(client);
            throw new AssertionError("the pause reached the log");
          } catch (WeftException e) {
            return e.code() == ErrorCode.UNSUPPORTED && e.getMessage().contains(why);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  private static PauseRepairsReply pause(SysmgrClient client) throws Exception {
    return client.call(Opcode.PAUSE_REPAIRS, request(), PauseRepairsReply.parser());
  }

  private static PauseRepairsRequest request() {
    return PauseRepairsRequest.newBuilder().setUser("root").setReason("a switch").build();
  }

  /** An older one that leads logs nothing new: it is started again until another one leads. */
  private void awaitNoOlderLeads(SysmgrClient client) throws Exception {
    for (int turn = 0; turn < MAX_TURNS; turn++) {
      joined++;
      assertEquals(joined, client.joinOsd("osd-" + joined, 7400 + joined, 1));
      boolean leads = false;
      for (int index = 0; index < MEMBERS; index++) {
        if (older[index] != null && older[index].isLeader()) {
          leads = true;
          stop(index);
          client.table();
          startOlder(index);
        }
      }
      if (!leads) {
        return;
      }
    }
    throw new AssertionError("an older member leads again and again");
  }

  @Test
  void aRollingUpgradeStopsNoMember() throws Exception {
    for (int i = 0; i < MEMBERS; i++) {
      start(i);
    }
    for (SysmgrDaemon daemon : daemons) {
      StageResults.get(daemon.ready());
    }
    List<Endpoint> addresses = members.stream().map(SysmgrMember::rpc).toList();
    try (SysmgrClient client =
        new SysmgrClient(system.environment().transport(), addresses, daemons[0].joinToken())) {
      for (int index = 1; index < MEMBERS; index++) {
        stop(index);
        startOlder(index);
      }
      awaitNoOlderLeads(client);
      awaitRefusal(client, "SysMgr member 2");
      stop(1);
      start(1);
      awaitNoOlderLeads(client);
      awaitRefusal(client, "SysMgr member 3");
      assertFalse(older[2].ended().toCompletableFuture().isDone(), "member 3 goes on");
      assertFalse(client.table().hasRepairPause());

      stop(2);
      start(2);
      PauseRepairsReply paused =
          client.persist(Opcode.PAUSE_REPAIRS, request(), PauseRepairsReply.parser());
      assertTrue(paused.hasPause());
      assertTrue(client.table().hasRepairPause());
    }
  }
}
