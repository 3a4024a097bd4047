package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.liveness.ClearedOsds;

/** OSDs that are drained: how far they are, and what to do next (P 6.8). */
final class DrainRules {
  private DrainRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    ClearedOsds cleared = new ClearedOsds(view.configuration(), view::report);
    for (OsdId id : view.configuration().history().placement().drainingOsds()) {
      OsdNode osd = view.configuration().osds().get(id);
      if (osd != null) {
        findings.add(cleared.isCleared(id) ? empty(osd) : underWay(osd));
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

  private static Finding underWay(OsdNode osd) {
    return Finding.warning(
        "osd-draining",
        subject(osd),
        "osd-%s is being drained: managers copy what it holds to other OSDs, and put nothing new on it."
            .formatted(osd.id()),
        "Leave it running. Start OSDs that are down, or remove them: all have to be asked. The lines on volumes say how far each is. To stop that: weft osd drain --undo osd-%s."
            .formatted(osd.id()));
  }

  private static String subject(OsdNode osd) {
    return "osd-" + osd.id();
  }
}
