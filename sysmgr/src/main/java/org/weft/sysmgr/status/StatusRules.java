package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.liveness.NodeReport;

/** Lists everything that is wrong, errors first. */
public final class StatusRules {
  private static final int MAX_OF_PROBLEM = 80;

  /** Whole words with a digit. */
  private static final Pattern WITH_FIGURES =
      Pattern.compile("(?<![^\\s,;:()])[^\\s,;:()]*[0-9][^\\s,;:()]*");

  private StatusRules() {}

  public static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    if (!view.leading()) {
      findings.add(
          Finding.error(
              "sysmgr-no-leader",
              "",
              "SysMgr has no leader: less than a majority of its members ("
                  + members(view)
                  + ") run or reach each other; what is shown here may be old.",
              "Start the missing SysMgr members. Until then no OSD or manager can join, and managers"
                  + " stop serving when their leases run out."));
    }
    findings.addAll(MemberRules.findings(view));
    findings.addAll(OsdRules.findings(view));
    findings.addAll(BladeSetRules.findings(view));
    findings.addAll(DrainRules.findings(view));
    findings.addAll(RepairPauseRules.findings(view));
    findings.addAll(VolumeRules.findings(view));
    findings.addAll(NetworkRules.findings(view));
    findings.addAll(ClockRules.findings(view));
    findings.addAll(NfsRules.findings(view));
    view.reports()
        .forEach((node, report) -> reported(node, isSilent(view, node), report, findings));
    findings.sort(Comparator.comparing(Finding::severity));
    return findings;
  }

  private static String members(StatusView view) {
    return view.members().stream().map(Endpoint::toString).collect(Collectors.joining(", "));
  }

  private static void reported(
      NodeKey node, boolean silent, NodeReport report, List<Finding> findings) {
    // The last report of a node that is down is old, and may say why it is down.
    String says = silent ? " said before it fell silent: " : " says: ";
    for (String problem : report.problems()) {
      findings.add(
          Finding.warning(
              "node-says",
              node + ": " + stable(problem),
              node + says + problem,
              "Look into the log of " + node + "."));
    }
  }

  private static boolean isSilent(StatusView view, NodeKey node) {
    return view.configuration()
        .node(node)
        .filter(each -> each.liveness() == Liveness.DOWN)
        .isPresent();
  }

  /** How data is acknowledged: what all OSDs say, or what each kind of them says. */
  public static String durability(StatusView view) {
    SortedSet<String> said = new TreeSet<>();
    view.reports().values().stream()
        .map(NodeReport::durability)
        .filter(word -> !word.isBlank())
        .forEach(said::add);
    return said.size() <= 1 ? String.join("", said) : "mixed: " + String.join(", ", said);
  }

  /**
   * Without figures, which change while the problem stays the same. Also without names that have
   * figures, since a copy that was interrupted leaves many files of such names.
   */
  private static String stable(String problem) {
    String words = WITH_FIGURES.matcher(problem).replaceAll("#");
    return words.length() <= MAX_OF_PROBLEM ? words : words.substring(0, MAX_OF_PROBLEM);
  }
}
