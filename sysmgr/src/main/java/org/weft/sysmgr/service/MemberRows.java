package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;

/** SysMgr's members as the status shows them. */
final class MemberRows {
  private MemberRows() {}

  static List<SysmgrRow> of(ReplicatedLog log, SysmgrMembers known) {
    Optional<Endpoint> leader = log.leader();
    Map<Integer, Progress> progress = new TreeMap<>();
    log.progress().forEach(each -> progress.put(each.memberId(), each));
    List<SysmgrRow> rows = new ArrayList<>();
    for (Member member : log.members()) {
      SysmgrRow.Builder row = row(member).setLeader(leader.equals(Optional.of(member.rpc())));
      Progress heard = progress.get(member.memberId());
      if (heard != null) {
        row.setBehindEntries(heard.behindEntries()).setSilentMillis(heard.silentMillis());
      }
      rows.add(row.build());
    }
    known.candidates().forEach(each -> rows.add(row(each).setCandidate(true).build()));
    return rows;
  }

  static SysmgrRow.Builder row(Member member) {
    return SysmgrRow.newBuilder()
        .setMemberId(member.memberId())
        .setRpc(member.rpc().toMessage())
        .setLog(member.log().toMessage());
  }
}
