package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.sysmgr.configuration.cluster.MemberChange;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Changes of SysMgr's members: first noted, then carried out by whichever member leads, then noted
 * as done or given up. One at a time.
 */
final class MemberRule {
  private MemberRule() {}

  static Decision decide(Configuration state, Command.EnlistMember command) {
    SysmgrMembers known = state.sysmgr();
    if (state.cluster().isEmpty()) {
      return Decision.refused(
          state, ErrorCode.UNAVAILABLE, "the cluster is not made yet; try again");
    }
    int id = command.memberId() == 0 ? known.lastId() + 1 : command.memberId();
    if (id > known.lastId() + 1 || command.memberId() > known.lastId()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "no SysMgr member %d has ever been here; give the process an empty data directory"
              .formatted(id));
    }
    Member wanted = new Member(id, command.rpc(), command.log());
    Optional<Member> member = known.member(id);
    if (member.isPresent()) {
      return member.get().equals(wanted)
          ? Decision.unchanged(state, new CommandResult.Joined(id))
          : Decision.refused(
              state,
              ErrorCode.INVALID_ARGUMENT,
              "SysMgr member %d is at %s and %s; to move it, add a new member there and remove this one"
                  .formatted(id, member.get().rpc(), member.get().log()));
    }
    Optional<Member> taken =
        known.members().stream()
            .filter(each -> each.rpc().equals(command.rpc()) || each.log().equals(command.log()))
            .findFirst();
    if (taken.isPresent()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "%s and %s belong to SysMgr member %d. If its disk is lost, remove it first: weft sysmgr member remove %d"
              .formatted(
                  taken.get().rpc(),
                  taken.get().log(),
                  taken.get().memberId(),
                  taken.get().memberId()));
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.sysmgr(known.enlisted(wanted));
    return new Decision(draft.freeze(), new CommandResult.Joined(id));
  }

  static Decision decide(Configuration state, Command.ChangeMember command) {
    SysmgrMembers known = state.sysmgr();
    Optional<MemberChange> underWay = known.change();
    boolean repeated =
        underWay.filter(each -> each.nonce() == command.nonce()).isPresent()
            || known.ended(command.nonce()).isPresent();
    if (repeated) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (underWay.isPresent()) {
      return Decision.refused(
          state,
          ErrorCode.EXISTS,
          "SysMgr member %d is being %s; members change one at a time: try again when that is over"
              .formatted(
                  underWay.get().member().memberId(),
                  underWay.get().removal() ? "removed" : "added"));
    }
    Optional<Member> member = known.member(command.memberId());
    if (!command.removal() && member.isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Optional<Member> meant = command.removal() ? member : known.candidate(command.memberId());
    return meant.isPresent() ? begin(state, command, meant.get()) : notThere(state, command);
  }

  private static Decision notThere(Configuration state, Command.ChangeMember command) {
    return Decision.refused(
        state,
        ErrorCode.NOT_FOUND,
        command.removal()
            ? "there is no SysMgr member %d; `weft sysmgr member list` shows them"
                .formatted(command.memberId())
            : "no process waits as SysMgr member %d; start it with `weft sysmgr --join` first"
                .formatted(command.memberId()));
  }

  private static Decision begin(Configuration state, Command.ChangeMember command, Member member) {
    int count = state.sysmgr().members().size();
    if (command.removal() && count == 1) {
      return Decision.refused(
          state, ErrorCode.INVALID_ARGUMENT, "the last SysMgr member cannot be removed");
    }
    // One more than the usual most: a member that moves is added before the old one goes.
    if (!command.removal() && count > SysmgrMembers.MAX_MEMBERS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "there are %d SysMgr members; remove one first".formatted(count));
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.sysmgr(
        state
            .sysmgr()
            .begun(
                new MemberChange(
                    command.nonce(), command.removal(), member, command.nowMillis(), "")));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  static Decision decide(Configuration state, Command.SettleMembers command) {
    SysmgrMembers known = state.sysmgr();
    Optional<MemberChange> over =
        known
            .change()
            .filter(each -> each.nonce() == command.nonce())
            .map(each -> each.over(command.failure(), command.nowMillis()));
    List<Member> members = command.members();
    if (over.isEmpty() && known.members().equals(members)) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.sysmgr(known.settled(members, over));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
