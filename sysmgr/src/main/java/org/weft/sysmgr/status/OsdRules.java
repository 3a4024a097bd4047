package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.UnusableOsds;

/** Finds problems of single OSDs: lost, suspect, unclean, too full. */
final class OsdRules {
  private static final double NEARLY_FULL = 0.85;
  private static final int PERCENT = 100;
  private static final int MILLIS = 1_000;
  private static final String UNUSABLE_ADVICE =
      "Look whether the OSD's address (`osd.advertised`) is right and can be reached from the"
          + " managers' hosts, then at the logs of both; restart the OSD if it replies to no request.";

  private OsdRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    for (OsdNode osd : view.configuration().osds().values()) {
      if (view.configuration().history().placement().removed().contains(osd.id())) {
        continue;
      }
      alive(view, osd, findings);
      unusable(view, osd, findings);
      unclean(view, osd, findings);
      space(view, osd, findings);
    }
    return findings;
  }

  private static void alive(StatusView view, OsdNode osd, List<Finding> findings) {
    Node node = osd.node();
    String name = name(osd);
    String since = Ago.since(node.sinceMillis(), view.nowMillis());
    if (node.liveness() == Liveness.DOWN && node.storeFailed()) {
      findings.add(
          Finding.error(
              "osd-store-failed",
              subject(osd),
              name
                  + " is down "
                  + since
                  + ": its store takes no changes any more: "
                  + node.storeFailure()
                  + ".",
              "Look at the disk on "
                  + node.host()
                  + ", then start the OSD again with the same data directory, or with an empty one"
                  + " if the disk is lost. Files stay readable while no more of their OSDs are lost"
                  + " than they have parity units."));
    } else if (osd.unusable().isPresent()) {
      return;
    } else if (node.liveness() == Liveness.DOWN) {
      findings.add(
          Finding.error(
              "osd-down",
              subject(osd),
              name
                  + " is down "
                  + since
                  + (node.stopped() ? ": it was stopped." : ": it has fallen silent."),
              "Start it again on "
                  + node.host()
                  + " with the same data directory. Files stay"
                  + " readable while no more of their OSDs are lost than they have parity units. What"
                  + " it held is rebuilt on others after repair.after (10 minutes unless set), or at"
                  + " once: weft osd remove osd-"
                  + osd.id()
                  + "."));
    } else if (node.liveness() == Liveness.SUSPECT) {
      findings.add(
          Finding.warning(
              "osd-suspect",
              subject(osd),
              name + " has not been heard for a moment, " + since + ".",
              "It counts as down in a few seconds unless it is heard; look at "
                  + node.host()
                  + " and at the network."));
    } else if (node.liveness() == Liveness.QUARANTINED) {
      if (osd.quarantine().active()) {
        findings.add(quarantined(view, osd));
      }
    } else if (node.addresses().isEmpty()) {
      findings.add(
          Finding.error(
              "osd-address-taken",
              subject(osd),
              name + " cannot be reached: another node has announced its address as its own.",
              "Give the two nodes different advertised addresses and restart them."));
    }
  }

  /** What managers say of an OSD that SysMgr hears, and what SysMgr does about it. */
  private static void unusable(StatusView view, OsdNode osd, List<Finding> findings) {
    String heard = heard(view, osd);
    osd.unusable()
        .ifPresent(
            why ->
                findings.add(
                    Finding.error(
                        "osd-given-up",
                        subject(osd),
                        name(osd)
                            + " is given up "
                            + Ago.since(why.sinceMillis(), view.nowMillis())
                            + ": "
                            + heard
                            + ", but managers cannot use it ("
                            + why.why()
                            + ").",
                        UNUSABLE_ADVICE + " It comes back by itself when they can use it again.")));
    for (UnusableOsds.Complaint complaint : view.complaints()) {
      if (complaint.access().osd().equals(osd.id())) {
        findings.add(
            Finding.warning(
                "osd-unusable",
                subject(osd) + " manager-" + complaint.manager(),
                "Manager "
                    + complaint.manager()
                    + " cannot use "
                    + name(osd)
                    + " for "
                    + TimeUnit.NANOSECONDS.toSeconds(complaint.access().lastedNanos())
                    + " s ("
                    + complaint.access().problem()
                    + "); "
                    + complaint.access().waits()
                    + ". "
                    + capitalised(heard)
                    + ".",
                complaint
                        .refusal()
                        .map(why -> "SysMgr does not give the OSD up: " + why + ". ")
                        .orElse("SysMgr gives the OSD up if that goes on. ")
                    + UNUSABLE_ADVICE));
      }
    }
  }

  private static String heard(StatusView view, OsdNode osd) {
    Long silentMillis = view.silentMillis().get(NodeKey.of(osd.id()));
    return silentMillis == null
        ? "SysMgr has not heard it yet"
        : "SysMgr heard it %.1f s ago".formatted(silentMillis / (double) MILLIS);
  }

  private static String capitalised(String sentence) {
    return sentence.substring(0, 1).toUpperCase(Locale.ROOT) + sentence.substring(1);
  }

  /** A quarantined OSD, the managers that it waits for, and those of them that are down. */
  private static Finding quarantined(StatusView view, OsdNode osd) {
    String what =
        name(osd)
            + " is in quarantine "
            + Ago.since(osd.quarantine().sinceMillis(), view.nowMillis())
            + (osd.quarantine().lostWrites()
                ? ": its machine went down, what it had taken last may be lost."
                : ": it was away, what was written meanwhile is not on it.");
    SortedSet<String> awaited = new TreeSet<>();
    SortedSet<String> dead = new TreeSet<>();
    for (PartitionId id : view.configuration().awaited(osd)) {
      Volume volume = view.configuration().volumes().get(id);
      awaited.add(
          volume.path()
              + volume.owner().map(owner -> " (manager-" + owner + ")").orElse(" (no manager)"));
      volume
          .owner()
          .filter(
              owner ->
                  view.configuration().managers().get(owner).node().liveness() == Liveness.DOWN)
          .ifPresent(owner -> dead.add("manager-" + owner));
    }
    return Finding.warning(
        "osd-quarantined",
        subject(osd),
        what,
        "Clients of these volumes read around it until their managers have compared it: "
            + String.join(", ", awaited)
            + (dead.isEmpty() ? "." : "; start " + String.join(", ", dead) + "."));
  }

  private static void unclean(StatusView view, OsdNode osd, List<Finding> findings) {
    if (osd.uncleanMillis() != 0 && osd.node().liveness() != Liveness.QUARANTINED) {
      findings.add(
          Finding.warning(
              "osd-unclean",
              subject(osd),
              name(osd)
                  + " came back after its machine had gone down without a clean stop, "
                  + Ago.since(osd.uncleanMillis(), view.nowMillis())
                  + "; data written in the seconds before may be missing from it.",
              "Files that were written then read correctly from the other OSDs while those are"
                  + " up; write them anew to restore their full redundancy."));
    }
  }

  private static void space(StatusView view, OsdNode osd, List<Finding> findings) {
    NodeReport report = view.report(NodeKey.of(osd.id())).orElse(null);
    if (report == null || report.capacityBytes() <= 0) {
      return;
    }
    long freeBytes = report.capacityBytes() - report.usedBytes();
    long percent = report.usedBytes() * PERCENT / report.capacityBytes();
    String advice = "Delete files or add OSDs.";
    if (freeBytes <= report.reserveBytes()) {
      findings.add(
          Finding.error(
              "osd-full", subject(osd), name(osd) + " is full (" + percent + " % used).", advice));
    } else if (report.usedBytes() >= NEARLY_FULL * report.capacityBytes()) {
      findings.add(
          Finding.warning(
              "osd-nearly-full",
              subject(osd),
              name(osd) + " is nearly full (" + percent + " % used).",
              advice));
    }
  }

  private static String name(OsdNode osd) {
    Node node = osd.node();
    String at = node.addresses().isEmpty() ? "" : ", " + node.addresses().get(0);
    return "OSD " + osd.id() + " (host " + node.host() + at + ")";
  }

  private static String subject(OsdNode osd) {
    return "osd-" + osd.id();
  }
}
