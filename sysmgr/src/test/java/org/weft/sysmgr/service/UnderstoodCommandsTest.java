package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.stored.CommandNumbers;

/**
 * Members of two releases beside each other, in one thread on virtual time (P 6.8.151): a member
 * that meets a command which it does not understand fails the test, as it would stop for ever.
 */
final class UnderstoodCommandsTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(41, 3);

  private static PauseRepairsRequest pause() {
    return PauseRepairsRequest.newBuilder()
        .setUser("root")
        .setReason("another switch")
        .setForMillis(TimeUnit.HOURS.toMillis(1))
        .build();
  }

  private CompletableFuture<RpcReply> askForPause(int leader) {
    return sysmgr.ask(leader, Opcode.PAUSE_REPAIRS, pause(), sysmgr.secret());
  }

  private boolean isPaused() {
    return sysmgr.state(1).history().placement().repairPause().isPresent();
  }

  private void older(int member) {
    sysmgr.releases.get(member - 1).understands(CommandNumbers.OLDEST);
  }

  private void upgraded(int member) {
    sysmgr.releases.get(member - 1).understands(CommandNumbers.NEWEST);
  }

  private void down(int member) {
    sysmgr.releases.get(member - 1).answers(false);
  }

  private void elected(int member) {
    sysmgr.replication.elect(member);
    sysmgr.seconds(4);
  }

  @Test
  void aNewCommandWaitsForTheUpgradeOfAllMembers() throws Exception {
    older(2);
    older(3);
    sysmgr.awaitCluster();
    sysmgr.seconds(2);
    int entries = sysmgr.replication.committed();
    String why = sysmgr.failure(ErrorCode.UNSUPPORTED, askForPause(1));
    assertTrue(why.contains("member 2 at 127.0.0.1:7302"), why);
    assertTrue(why.contains("Upgrade that member first"), why);
    assertEquals(entries, sysmgr.replication.committed(), "nothing reached the log");

    // What every release understands goes on beside it, also the leader's own commands.
    sysmgr.joinOsd(1, "osd-1", 7400, 1);
    sysmgr.seconds(10);
    assertTrue(sysmgr.state(3).osds().size() == 1, "member 3 follows");

    upgraded(2);
    sysmgr.seconds(3);
    why = sysmgr.failure(ErrorCode.UNSUPPORTED, askForPause(1));
    assertTrue(why.contains("member 3"), why);
    upgraded(3);
    sysmgr.seconds(3);
    sysmgr.call(1, Opcode.PAUSE_REPAIRS, pause(), PauseRepairsReply.parser());
    assertTrue(isPaused());
    assertEquals(1, sysmgr.state(3).sysmgr().commandsUsed());
  }

  @Test
  void aMemberThatIsDownCountsAsWhatItSaidLast() throws Exception {
    older(3);
    sysmgr.awaitCluster();
    sysmgr.seconds(2);
    down(2);
    down(3);
    sysmgr.seconds(30);
    String why = sysmgr.failure(ErrorCode.UNSUPPORTED, askForPause(1));
    assertTrue(why.contains("member 3"), why);
    upgraded(3);
    sysmgr.releases.get(2).answers(true);
    sysmgr.seconds(3);
    sysmgr.call(1, Opcode.PAUSE_REPAIRS, pause(), PauseRepairsReply.parser());
    assertTrue(isPaused());
  }

  @Test
  void aMemberSilentToThisLeaderIsUnknown() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(2);
    down(3);
    elected(2);
    String why = sysmgr.failure(ErrorCode.UNAVAILABLE, askForPause(2));
    assertTrue(why.contains("member 3 at 127.0.0.1:7303"), why);
    assertTrue(why.contains("weft sysmgr member remove 3"), why);
    assertFalse(isPaused());
    sysmgr.joinOsd(2, "osd-1", 7400, 1);

    // What it said to this one when that led before may be old.
    elected(1);
    why = sysmgr.failure(ErrorCode.UNAVAILABLE, askForPause(1));
    assertTrue(why.contains("member 3"), why);
  }

  /** Else a pause would have no end while a member is down. */
  @Test
  void aCommandAlreadyInTheLogIgnoresSilentMembers() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(2);
    sysmgr.call(1, Opcode.PAUSE_REPAIRS, pause(), PauseRepairsReply.parser());
    down(3);
    elected(2);
    sysmgr.seconds(TimeUnit.HOURS.toSeconds(1));
    assertFalse(isPaused());
    sysmgr.call(2, Opcode.PAUSE_REPAIRS, pause(), PauseRepairsReply.parser());
    assertTrue(isPaused());
  }

  @Test
  void aSnapshotSaysWhichCommandsWereUsed() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(2);
    ReplicatedConfiguration copy = new ReplicatedConfiguration();
    load(copy);
    assertEquals(0, copy.current().sysmgr().commandsUsed());
    sysmgr.call(1, Opcode.PAUSE_REPAIRS, pause(), PauseRepairsReply.parser());
    load(copy);
    assertEquals(1, copy.current().sysmgr().commandsUsed());
    assertEquals(sysmgr.state(1), copy.current());
  }

  private void load(ReplicatedConfiguration copy) throws IOException {
    ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
    sysmgr.configurations.get(0).save(snapshot);
    copy.load(new ByteArrayInputStream(snapshot.toByteArray()));
  }

  @Test
  void onlyTheLeaderAsksForReleases() {
    sysmgr.awaitCluster();
    sysmgr.seconds(10);
    long before = sysmgr.releases.get(2).asked();
    assertTrue(before > 4, "asked " + before);
    assertEquals(0, sysmgr.releases.get(0).asked());
    elected(3);
    long then = sysmgr.releases.get(2).asked();
    sysmgr.seconds(5);
    assertEquals(then, sysmgr.releases.get(2).asked());
    assertTrue(sysmgr.releases.get(0).asked() > 4);
  }
}
