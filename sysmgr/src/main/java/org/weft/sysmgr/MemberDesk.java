package org.weft.sysmgr;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.MemberStateReply;
import org.weft.protocol.wire.SeenMember;
import org.weft.sysmgr.configuration.stored.CommandNumbers;
import org.weft.sysmgr.service.SysmgrService;
import org.weft.sysmgr.storage.MemberNotes;

/**
 * Answers on a member's port: MEMBER_STATE from the first moment on, everything else once the
 * service is there. Thread-safe.
 */
public final class MemberDesk implements RpcService {
  /** What one of the first members answers before its log is open. */
  static final String WAITS =
      "this SysMgr member waits until all first members have started; start the others";

  /** What one that others are to add answers before its log is open. */
  static final String ASKS =
      "this process waits to become a SysMgr member, and asks where the others are; try again";

  private final MemberNotes notes;
  private volatile SysmgrService service;

  public MemberDesk(MemberNotes notes) {
    this.notes = notes;
  }

  /** The log is open: requests are answered from now on. */
  public void open(SysmgrService started) {
    service = started;
  }

  @Override
  public void handle(InboundRequest request) {
    SysmgrService started = service;
    if (request.opcodeNumber() == Opcode.MEMBER_STATE.number()) {
      request.reply(state());
    } else if (started == null) {
      request.fail(ErrorCode.UNAVAILABLE, notes.joined() ? ASKS : WAITS);
    } else {
      started.handle(request);
    }
  }

  private MemberStateReply state() {
    MemberStateReply.Builder state =
        MemberStateReply.newBuilder()
            .setMemberId(notes.memberId())
            .setReadyForBirth(notes.isReady())
            .setInstance(notes.instance())
            .setCommands(CommandNumbers.NEWEST);
    notes
        .seen()
        .forEach(
            (id, instance) ->
                state.addSeen(SeenMember.newBuilder().setMemberId(id).setInstance(instance)));
    notes.clusterId().ifPresent(id -> state.setClusterId(id.value()));
    SysmgrService started = service;
    if (started != null) {
      started.leader().ifPresent(leader -> state.setLeader(leader.toMessage()));
    }
    return state.build();
  }
}
