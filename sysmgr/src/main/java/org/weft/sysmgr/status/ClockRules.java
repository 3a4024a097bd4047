package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.sysmgr.configuration.node.NodeKey;

/**
 * Finds wall clocks that differ. Daemons go by SysMgr's clock where theirs is far from it, so that
 * nothing stands still. Times in logs and of files mislead all the same.
 */
final class ClockRules {
  /** From here on daemons go by SysMgr's clock. */
  static final long TOLD_MILLIS = 10_000;

  private static final String STEP = "Set the clock of %s (chrony, ntpd).";

  private ClockRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    long median = median(view);
    if (Math.abs(median) > TOLD_MILLIS) {
      findings.add(
          Finding.warning(
              "sysmgr-clock",
              "",
              "SysMgr's clock is "
                  + apart(-median)
                  + " those of most nodes; capabilities and files get their times from it.",
              STEP.formatted("SysMgr's leader")));
      return findings;
    }
    view.clocksAheadMillis()
        .forEach(
            (node, ahead) -> {
              if (Math.abs(ahead) > TOLD_MILLIS && view.configuration().node(node).isPresent()) {
                findings.add(
                    Finding.warning(
                        "node-clock",
                        node.toString(),
                        name(node)
                            + "'s clock is "
                            + apart(ahead)
                            + " SysMgr's; it goes by SysMgr's.",
                        STEP.formatted(view.configuration().node(node).get().host())));
              }
            });
    return findings;
  }

  private static long median(StatusView view) {
    List<Long> sorted =
        view.clocksAheadMillis().entrySet().stream()
            .map(Map.Entry::getValue)
            .sorted((left, right) -> Long.compare(Math.abs(left), Math.abs(right)))
            .toList();
    // With two nodes or less it is not known which of the clocks is wrong.
    return sorted.size() < 3 ? 0 : sorted.get((sorted.size() - 1) / 2);
  }

  private static String name(NodeKey node) {
    return switch (node.kind()) {
      case OSD -> "OSD " + node.osdId();
      case MANAGER -> "Manager " + node.managerId();
    };
  }

  private static String apart(long aheadMillis) {
    return Ago.length(Math.abs(aheadMillis)) + (aheadMillis < 0 ? " behind" : " ahead of");
  }
}
