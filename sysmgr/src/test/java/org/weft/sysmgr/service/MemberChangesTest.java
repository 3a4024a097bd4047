package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ChangeMemberRequest;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EnlistMemberRequest;
import org.weft.protocol.wire.MemberChange;
import org.weft.protocol.wire.OperationState;
import org.weft.sysmgr.configuration.stored.CommandNumbers;

/** Changes of SysMgr's members, in one thread on virtual time, with leaders that go in between. */
final class MemberChangesTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(11, 3);

  private static AddressMessage address(int port) {
    return AddressMessage.newBuilder().setHost("127.0.0.1").setPort(port).build();
  }

  private int enlist(int port) throws WeftException {
    return enlist(1, port);
  }

  private WeftException enlistment(int port) {
    return assertThrows(WeftException.class, () -> enlist(port));
  }

  private int enlist(int member, int port) throws WeftException {
    EnlistMemberRequest request =
        EnlistMemberRequest.newBuilder()
            .setRpc(address(port))
            .setLog(address(port + 1))
            .setCommands(CommandNumbers.NEWEST)
            .build();
    return sysmgr
        .call(member, Opcode.ENLIST_MEMBER, request, EnlistMemberReply.parser())
        .getMemberId();
  }

  private static ChangeMemberRequest request(long nonce, boolean removal, int id) {
    return ChangeMemberRequest.newBuilder()
        .setNonce(nonce)
        .setRemoval(removal)
        .setMemberId(id)
        .build();
  }

  private MemberChange change(int member, long nonce, boolean removal, int id)
      throws WeftException {
    return sysmgr.call(
        member, Opcode.CHANGE_MEMBER, request(nonce, removal, id), MemberChange.parser());
  }

  private WeftException refusal(long nonce, boolean removal, int id) {
    return assertThrows(WeftException.class, () -> change(1, nonce, removal, id));
  }

  private List<Integer> members() {
    return sysmgr.state(1).sysmgr().members().stream().map(Member::memberId).toList();
  }

  @Test
  void aCandidateIsAddedAndAMemberTakenAway() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2, 3), members());
    assertEquals(4, enlist(7400));
    assertEquals(OperationState.UNDER_WAY, change(1, 77, false, 4).getState());
    sysmgr.seconds(1);
    assertEquals(OperationState.DONE, change(1, 77, false, 4).getState());
    assertEquals(List.of(1, 2, 3, 4), members());
    change(1, 78, true, 3);
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2, 4), members());
    // The number of one that was removed is not given again.
    assertEquals(5, enlist(7500));
  }

  @Test
  void aLeaderThatDiesInBetweenLeavesTheChangeToTheNext() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    enlist(7400);
    sysmgr.replication.holdChanges(true);
    change(1, 77, false, 4);
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2, 3), members());
    sysmgr.replication.holdChanges(false);
    sysmgr.replication.elect(2);
    sysmgr.seconds(4);
    assertEquals(OperationState.DONE, change(2, 77, false, 4).getState());
    assertEquals(List.of(1, 2, 3, 4), members());
    assertEquals(Optional.empty(), sysmgr.state(2).sysmgr().change());
  }

  @Test
  void impossibleChangesAreRefusedBeforeTheyAreNoted() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    assertEquals(ErrorCode.NOT_FOUND, refusal(1, false, 9).code());
    assertEquals(ErrorCode.NOT_FOUND, refusal(2, true, 9).code());
    enlist(7400);
    sysmgr.replication.holdChanges(true);
    change(1, 77, false, 4);
    assertEquals(ErrorCode.EXISTS, refusal(78, true, 2).code());
  }

  /** It would stop at entries that are in the log, and count among the majority that is needed. */
  @Test
  void aProcessOfAnOlderReleaseDoesNotBecomeAMember() throws Exception {
    sysmgr.awaitCluster();
    EnlistMemberRequest older =
        EnlistMemberRequest.newBuilder().setRpc(address(7400)).setLog(address(7401)).build();
    String why =
        sysmgr.failure(
            ErrorCode.UNSUPPORTED, sysmgr.ask(1, Opcode.ENLIST_MEMBER, older, sysmgr.secret()));
    assertTrue(why.contains("older release"), why);
    assertEquals(List.of(), sysmgr.state(1).sysmgr().candidates());
  }

  /** Killed before it knew its number, it would be taken for the member that is being added. */
  @Test
  void aProcessThatForgotItsNumberWaitsWhileThatIsBeingAdded() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    assertEquals(4, enlist(7400));
    sysmgr.replication.holdChanges(true);
    // Both at once: the addition is not noted yet when the process asks.
    var added = sysmgr.ask(1, Opcode.CHANGE_MEMBER, request(77, false, 4), sysmgr.secret());
    WeftException beside = assertThrows(WeftException.class, () -> enlist(7400));
    assertEquals(ErrorCode.UNAVAILABLE, beside.code());
    assertTrue(beside.getMessage().contains("member 4 is being added"), beside::getMessage);
    sysmgr.seconds(1);
    assertTrue(added.isDone());
    assertEquals(5, enlist(7400), "the log had not heard of the addition: it is given up at once");
    assertEquals(6, enlist(7500));
  }

  /** However often the addition of the one that is gone is asked for (P 6.2a.14). */
  @Test
  void aReplacementIsAdmittedOnceTheLogGaveUp() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    assertEquals(4, enlist(7400));
    sysmgr.replication.holdChanges(true);
    change(1, 77, false, 4);
    sysmgr.seconds(1);
    assertEquals(ErrorCode.UNAVAILABLE, enlistment(7400).code());
    sysmgr.seconds(1);
    assertEquals(OperationState.UNDER_WAY, change(1, 77, false, 4).getState(), "the log goes on");
    sysmgr.replication.failHeldChanges();
    sysmgr.seconds(1);
    MemberChange ended = change(1, 77, false, 4);
    assertEquals(OperationState.FAILED, ended.getState());
    assertTrue(ended.getMessage().contains("another process has come"), ended::getMessage);
    WeftException again = refusal(78, false, 4);
    assertEquals(ErrorCode.UNAVAILABLE, again.code());
    assertEquals(Optional.empty(), sysmgr.state(1).sysmgr().change(), again::getMessage);
    assertEquals(5, enlist(7400));
    assertEquals(ErrorCode.NOT_FOUND, refusal(79, false, 4).code());
    sysmgr.replication.holdChanges(false);
    change(1, 80, false, 5);
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2, 3, 5), members());
  }

  /** The log had it before it heard that the process is gone. */
  @Test
  void anAdditionThatIsMadeIsNotGivenUp() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    enlist(7400);
    sysmgr.replication.holdChanges(true);
    change(1, 77, false, 4);
    sysmgr.seconds(1);
    assertEquals(ErrorCode.UNAVAILABLE, enlistment(7400).code());
    sysmgr.replication.holdChanges(false);
    sysmgr.replication.elect(2);
    sysmgr.seconds(4);
    assertEquals(OperationState.DONE, change(2, 77, false, 4).getState());
    WeftException lost = assertThrows(WeftException.class, () -> enlist(2, 7400));
    assertEquals(ErrorCode.INVALID_ARGUMENT, lost.code(), "its disk may have held votes");
  }

  @Test
  void askingAgainForAChangeWritesNothingIntoTheLog() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    enlist(7400);
    sysmgr.replication.holdChanges(true);
    change(1, 77, false, 4);
    sysmgr.seconds(1);
    int before = sysmgr.replication.committed();
    for (int i = 0; i < 10; i++) {
      assertEquals(OperationState.UNDER_WAY, change(1, 77, false, 4).getState());
    }
    assertEquals(before, sysmgr.replication.committed());
  }

  private static Member memberOf(int id) {
    return new Member(id, new Endpoint("127.0.0.1", id), new Endpoint("127.0.0.1", 100 + id));
  }

  /** A process of that number without a log must not take part as one that never voted. */
  @Test
  void aMemberIsCountedInUntilItsRemovalHasEnded() {
    List<Member> named = List.of(memberOf(1), memberOf(2));
    for (boolean removal : new boolean[] {true, false}) {
      var change =
          new org.weft.sysmgr.configuration.cluster.MemberChange(7, removal, memberOf(3), 0, "");
      assertEquals(
          removal ? 3 : 2, MemberHandlers.counted(named, Optional.of(change)).size(), "" + removal);
    }
    var known = new org.weft.sysmgr.configuration.cluster.MemberChange(7, true, memberOf(2), 0, "");
    assertEquals(named, MemberHandlers.counted(named, Optional.of(known)));
    assertEquals(named, MemberHandlers.counted(named, Optional.empty()));
  }

  @Test
  void aRemovalThatLeavesNoMajorityIsRefused() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    sysmgr.replication.cut(3);
    WeftException refusal = refusal(1, true, 2);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("[3]"), refusal::getMessage);
    change(1, 2, true, 3);
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2), members());
  }
}
