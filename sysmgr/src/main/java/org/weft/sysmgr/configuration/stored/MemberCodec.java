package org.weft.sysmgr.configuration.stored;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.wire.ChangeMemberCommand;
import org.weft.protocol.wire.EnlistMemberCommand;
import org.weft.protocol.wire.SettleMembersCommand;
import org.weft.protocol.wire.StoredAddress;
import org.weft.protocol.wire.StoredMember;
import org.weft.protocol.wire.StoredMemberChange;
import org.weft.protocol.wire.StoredMembers;
import org.weft.sysmgr.configuration.cluster.MemberChange;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.command.Command;

/** SysMgr's members, as commands and snapshots keep them. */
final class MemberCodec {
  private MemberCodec() {}

  static EnlistMemberCommand stored(Command.EnlistMember command) {
    return EnlistMemberCommand.newBuilder()
        .setMemberId(command.memberId())
        .setRpc(StoredValueCodec.address(command.rpc()))
        .setLog(StoredValueCodec.address(command.log()))
        .build();
  }

  static Command command(EnlistMemberCommand stored) {
    return new Command.EnlistMember(
        stored.getMemberId(), endpoint(stored.getRpc()), endpoint(stored.getLog()));
  }

  static ChangeMemberCommand stored(Command.ChangeMember command) {
    return ChangeMemberCommand.newBuilder()
        .setNonce(command.nonce())
        .setRemoval(command.removal())
        .setMemberId(command.memberId())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(ChangeMemberCommand stored) {
    return new Command.ChangeMember(
        stored.getNonce(), stored.getRemoval(), stored.getMemberId(), stored.getNowMillis());
  }

  static SettleMembersCommand stored(Command.SettleMembers command) {
    return SettleMembersCommand.newBuilder()
        .addAllMembers(stored(command.members()))
        .setNonce(command.nonce())
        .setFailure(command.failure())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(SettleMembersCommand stored) {
    return new Command.SettleMembers(
        members(stored.getMembersList()),
        stored.getNonce(),
        stored.getFailure(),
        stored.getNowMillis());
  }

  static StoredMembers stored(SysmgrMembers members) {
    StoredMembers.Builder stored =
        StoredMembers.newBuilder()
            .addAllMembers(stored(members.members()))
            .addAllCandidates(stored(members.candidates()))
            .setLastMemberId(members.lastId())
            .setCommandsUsed(members.commandsUsed());
    members.change().ifPresent(change -> stored.setChange(stored(change)));
    members.ended().forEach(change -> stored.addEnded(stored(change)));
    return stored.build();
  }

  static SysmgrMembers members(StoredMembers stored) {
    return new SysmgrMembers(
        members(stored.getMembersList()),
        members(stored.getCandidatesList()),
        stored.getLastMemberId(),
        stored.hasChange() ? Optional.of(change(stored.getChange())) : Optional.empty(),
        stored.getEndedList().stream().map(MemberCodec::change).toList(),
        stored.getCommandsUsed());
  }

  private static StoredMemberChange stored(MemberChange change) {
    return StoredMemberChange.newBuilder()
        .setNonce(change.nonce())
        .setRemoval(change.removal())
        .setMember(stored(change.member()))
        .setSinceMillis(change.sinceMillis())
        .setFailure(change.failure())
        .build();
  }

  private static MemberChange change(StoredMemberChange stored) {
    return new MemberChange(
        stored.getNonce(),
        stored.getRemoval(),
        member(stored.getMember()),
        stored.getSinceMillis(),
        stored.getFailure());
  }

  private static List<StoredMember> stored(List<Member> members) {
    return members.stream().map(MemberCodec::stored).toList();
  }

  private static StoredMember stored(Member member) {
    return StoredMember.newBuilder()
        .setMemberId(member.memberId())
        .setRpc(StoredValueCodec.address(member.rpc()))
        .setLog(StoredValueCodec.address(member.log()))
        .build();
  }

  private static List<Member> members(List<StoredMember> stored) {
    return stored.stream().map(MemberCodec::member).toList();
  }

  private static Member member(StoredMember stored) {
    return new Member(stored.getMemberId(), endpoint(stored.getRpc()), endpoint(stored.getLog()));
  }

  private static Endpoint endpoint(StoredAddress stored) {
    return new Endpoint(stored.getHost(), stored.getPort());
  }
}
