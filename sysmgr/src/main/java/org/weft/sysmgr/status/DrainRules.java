package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.liveness.ClearedOsds;

/** OSDs and managers that are drained: how far they are, and what to do next (P 6.8, 6.2). */
final class DrainRules {
  /** A cluster may have hundreds of volumes. */
  private static final int MAX_WAITS = 8;

  private DrainRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    List<DrainWait> waits = DrainWaits.of(view);
    ClearedOsds cleared = new ClearedOsds(view.configuration(), view::report);
    for (OsdId id : view.configuration().history().placement().drainingOsds()) {
      OsdNode osd = view.configuration().osds().get(id);
      if (osd != null) {
        findings.add(cleared.isCleared(id) ? empty(osd) : underWay(osd, waits));
      }
    }
    for (ManagerId manager : view.configuration().history().placement().draining()) {
      String subject = NodeKey.of(manager).toString();
      if (!words(waits, subject, DrainWait::what).isEmpty()) {
        findings.add(
            Finding.warning(
                "manager-drain-waits",
                subject,
                subject
                    + " is being drained, and not all of its volumes can move now."
                    + waiting(waits, subject),
                words(waits, subject, DrainWait::advice)
                    + " To stop that: weft manager undrain "
                    + subject
                    + "."));
      }
    }
    return findings;
  }

  private static Finding empty(OsdNode osd) {
    String stop = osd.node().liveness() == Liveness.DOWN ? "Remove it" : "Stop it, then remove it";
    return Finding.warning(
        "osd-drained",
        subject(osd),
        "osd-%s is drained: no file has anything on it any more.".formatted(osd.id()),
        "%s: weft osd remove osd-%s. To use it again: weft osd drain --undo osd-%s."
            .formatted(stop, osd.id(), osd.id()));
  }

  private static Finding underWay(OsdNode osd, List<DrainWait> waits) {
    String next = words(waits, subject(osd), DrainWait::advice);
    return Finding.warning(
        "osd-draining",
        subject(osd),
        "osd-%s is being drained: managers copy what it holds to other OSDs, and put nothing new on it."
                .formatted(osd.id())
            + waiting(waits, subject(osd)),
        "Leave it running.%s The lines on volumes say how far each is. To stop that: weft osd drain --undo osd-%s."
            .formatted(next.isEmpty() ? "" : " " + next, osd.id()));
  }

  private static String waiting(List<DrainWait> waits, String subject) {
    List<String> what = each(waits, subject, DrainWait::what);
    return what.isEmpty() ? "" : " It waits: " + String.join("; ", what) + ".";
  }

  private static String words(
      List<DrainWait> waits, String subject, Function<DrainWait, String> word) {
    return String.join(" ", each(waits, subject, word));
  }

  /** What is said of one drain, each word once. */
  private static List<String> each(
      List<DrainWait> waits, String subject, Function<DrainWait, String> word) {
    List<String> all =
        waits.stream().filter(wait -> wait.subject().equals(subject)).map(word).distinct().toList();
    List<String> some = new ArrayList<>(all.subList(0, Math.min(MAX_WAITS, all.size())));
    if (some.size() < all.size()) {
      some.add("%d more of the kind".formatted(all.size() - some.size()));
    }
    return some;
  }

  private static String subject(OsdNode osd) {
    return NodeKey.of(osd.id()).toString();
  }
}
