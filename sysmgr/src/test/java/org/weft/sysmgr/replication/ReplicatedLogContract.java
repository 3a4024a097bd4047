package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.StageResults;
import org.weft.testkit.process.Await;

/** What every {@link ReplicatedLog} must do, here with one member (P 8.1). */
abstract class ReplicatedLogContract {
  static final Endpoint RPC = new Endpoint("127.0.0.1", 7300);

  /**
   * Opens the only member, again with what it had if it was open before, and waits until it leads.
   */
  abstract ReplicatedLog open(ReplicatedLog.Machine machine) throws Exception;

  /** Makes the member take a snapshot, if it must be told to. */
  void compact() throws Exception {}

  static CompletionStage<byte[]> propose(ReplicatedLog log, String command) {
    return log.propose(command.getBytes(StandardCharsets.UTF_8));
  }

  static String proposed(ReplicatedLog log, String command) throws Exception {
    return new String(StageResults.get(propose(log, command)), StandardCharsets.UTF_8);
  }

  static List<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> "command-" + i).toList();
  }

  @Test
  void aProposalIsAnsweredByTheMachineThatHasAppliedIt() throws Exception {
    ListMachine machine = new ListMachine();
    try (ReplicatedLog log = open(machine)) {
      assertEquals("1:a", proposed(log, "a"));
      assertEquals(List.of("a"), machine.commands());
      assertEquals("2:b", proposed(log, "b"));
    }
  }

  @Test
  void proposalsAreAppliedOnceInTheirOrder() throws Exception {
    ListMachine machine = new ListMachine();
    try (ReplicatedLog log = open(machine)) {
      List<CompletionStage<byte[]>> answers = new ArrayList<>();
      for (String command : numbered(200)) {
        answers.add(propose(log, command));
      }
      for (CompletionStage<byte[]> answer : answers) {
        StageResults.get(answer);
      }
      assertEquals(200, machine.commands().size());
      assertEquals(
          numbered(200),
          machine.commands().stream().sorted(ReplicatedLogContract::byNumber).toList());
    }
  }

  static int byNumber(String left, String right) {
    return Integer.compare(numberOf(left), numberOf(right));
  }

  private static int numberOf(String command) {
    return Integer.parseInt(command.substring(command.indexOf('-') + 1));
  }

  @Test
  void aBarrierSeesEverythingAnsweredBefore() throws Exception {
    ListMachine machine = new ListMachine();
    try (ReplicatedLog log = open(machine)) {
      proposed(log, "a");
      StageResults.get(log.readBarrier());
      assertTrue(log.isLeader());
      assertEquals(Optional.of(RPC), log.leader());
      assertEquals(List.of("a"), machine.commands());
    }
  }

  @Test
  void aRestartFindsEveryEntry() throws Exception {
    try (ReplicatedLog log = open(new ListMachine())) {
      for (String command : numbered(20)) {
        proposed(log, command);
      }
    }
    ListMachine again = new ListMachine();
    try (ReplicatedLog log = open(again)) {
      StageResults.get(log.readBarrier());
      assertEquals(numbered(20), again.commands());
      assertEquals("21:more", proposed(log, "more"));
    }
  }

  @Test
  void aRestartFindsSnapshotAndTail() throws Exception {
    List<String> all = numbered(45);
    try (ReplicatedLog log = open(new ListMachine())) {
      for (String command : all.subList(0, 30)) {
        proposed(log, command);
      }
      compact();
      for (String command : all.subList(30, all.size())) {
        proposed(log, command);
      }
    }
    ListMachine again = new ListMachine();
    try (ReplicatedLog log = open(again)) {
      StageResults.get(log.readBarrier());
      assertTrue(again.loads() > 0, "the snapshot was not used");
      assertEquals(all, again.commands());
    }
  }

  @Test
  void aClosedLogRefuses() throws Exception {
    ReplicatedLog log = open(new ListMachine());
    log.close();
    Await.until("no leader", () -> !log.isLeader());
    StageResults.failure(ErrorCode.UNAVAILABLE, propose(log, "late"));
  }
}
