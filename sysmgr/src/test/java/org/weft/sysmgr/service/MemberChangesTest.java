package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
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

  private int enlist(int port) throws RpcException {
    EnlistMemberRequest request =
        EnlistMemberRequest.newBuilder()
            .setRpc(address(port))
            .setLog(address(port + 1))
            .setCommands(CommandNumbers.NEWEST)
            .build();
    return sysmgr.call(1, Opcode.ENLIST_MEMBER, request, EnlistMemberReply.parser()).getMemberId();
  }

  private static ChangeMemberRequest request(long nonce, boolean removal, int id) {
    return ChangeMemberRequest.newBuilder()
        .setNonce(nonce)
        .setRemoval(removal)
        .setMemberId(id)
        .build();
  }

  private MemberChange change(int member, long nonce, boolean removal, int id) throws RpcException {
    return sysmgr.call(
        member, Opcode.CHANGE_MEMBER, request(nonce, removal, id), MemberChange.parser());
  }

  private RpcException refusal(long nonce, boolean removal, int id) {
    return assertThrows(RpcException.class, () -> change(1, nonce, removal, id));
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
  void whatCannotBeIsRefusedBeforeItIsNoted() throws Exception {
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
    RpcException beside = assertThrows(RpcException.class, () -> enlist(7400));
    assertEquals(ErrorCode.UNAVAILABLE, beside.code());
    assertTrue(beside.getMessage().contains("member 4 is being added"), beside::getMessage);
    sysmgr.seconds(1);
    assertTrue(added.isDone());
    RpcException later = assertThrows(RpcException.class, () -> enlist(7400));
    assertEquals(ErrorCode.UNAVAILABLE, later.code());
    assertEquals(5, enlist(7500), "elsewhere another one may come");
  }

  @Test
  void aRemovalThatLeavesNoMajorityIsRefused() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.seconds(1);
    sysmgr.replication.cut(3);
    RpcException refusal = refusal(1, true, 2);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("[3]"), refusal::getMessage);
    change(1, 2, true, 3);
    sysmgr.seconds(1);
    assertEquals(List.of(1, 2), members());
  }
}
