package org.weft.cli.member;

import org.weft.protocol.wire.SysmgrRow;

/** The state of a member of SysMgr, in a few words. */
public final class MemberState {
  private static final long SILENT_MILLIS = 5_000;

  private MemberState() {}

  public static String of(SysmgrRow row) {
    if (row.getCandidate()) {
      return "waits for `weft sysmgr member add " + row.getMemberId() + "`";
    }
    if (row.getLeader()) {
      return "leader";
    }
    if (row.getSilentMillis() > SILENT_MILLIS) {
      return "NOT HEARD for " + row.getSilentMillis() / 1_000 + " s";
    }
    return row.getBehindEntries() == 0
        ? "follows"
        : "follows, " + row.getBehindEntries() + " entries behind";
  }
}
