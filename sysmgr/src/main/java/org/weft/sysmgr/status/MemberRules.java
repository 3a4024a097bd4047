package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;

/** Finds problems of SysMgr's own members, as their leader knows them. */
final class MemberRules {
  private static final long SILENT_MILLIS = 5_000;

  private MemberRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    SysmgrMembers known = view.configuration().sysmgr();
    int members = known.members().size();
    long silent =
        view.progress().stream().filter(each -> each.silentMillis() > SILENT_MILLIS).count();
    for (Progress each : view.progress()) {
      if (each.silentMillis() > SILENT_MILLIS) {
        findings.add(silent(known, each, members, silent));
      }
    }
    if (members > 0 && members % 2 == 0) {
      findings.add(
          Finding.warning(
              "sysmgr-members-even",
              "",
              "SysMgr has %d members, which tolerate the loss of no more than %d would."
                  .formatted(members, members - 1),
              "Add one more, or remove one: weft sysmgr member add|remove."));
    }
    known
        .change()
        .ifPresent(
            change ->
                findings.add(
                    Finding.warning(
                        "sysmgr-member-changing",
                        "sysmgr-" + change.member().memberId(),
                        "SysMgr member %d is being %s."
                            .formatted(
                                change.member().memberId(), change.removal() ? "removed" : "added"),
                        "It ends by itself within about a minute, done or given up.")));
    return findings;
  }

  private static Finding silent(SysmgrMembers known, Progress silent, int members, long allSilent) {
    String where =
        known.member(silent.memberId()).map(Member::rpc).map(at -> " at " + at).orElse("");
    long more = (members - 1) / 2 - allSilent;
    return Finding.warning(
        "sysmgr-member-silent",
        "sysmgr-" + silent.memberId(),
        "SysMgr member %d%s has not been heard for %d s; %s."
            .formatted(
                silent.memberId(),
                where,
                TimeUnit.MILLISECONDS.toSeconds(silent.silentMillis()),
                more > 0
                    ? "the others tolerate the loss of " + more + " more"
                    : "if one more is lost, nothing can join and managers stop serving"),
        "Start it again. If its disk is lost: weft sysmgr member remove "
            + silent.memberId()
            + ", then start a new one with weft sysmgr --join.");
  }
}
