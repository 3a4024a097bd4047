package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.DomainCounts;
import org.weft.protocol.layout.FaultDomain;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Finds problems of the OSDs of a BladeSet as a whole. They are too few, or too near to each other
 * for the fault domain that the BladeSet keeps to.
 */
final class BladeSetRules {
  private final StatusView view;
  private final BladeSet set;
  private final List<Volume> volumes;
  private final List<OsdNode> up = new ArrayList<>();
  private final List<Finding> findings;

  private BladeSetRules(StatusView view, BladeSet set, List<Finding> findings) {
    this.view = view;
    this.set = set;
    this.findings = findings;
    Configuration state = view.configuration();
    this.volumes =
        state.volumes().values().stream()
            .filter(volume -> volume.bladeSet().equals(set.name()))
            .toList();
    for (OsdNode osd : state.osds().values()) {
      Liveness liveness = osd.node().liveness();
      boolean isThere = liveness == Liveness.UP || liveness == Liveness.QUARANTINED;
      if (osd.bladeSet().equals(set.name()) && isThere) {
        up.add(osd);
      }
    }
  }

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    for (BladeSet set : view.configuration().bladeSets().values()) {
      BladeSetRules rules = new BladeSetRules(view, set, findings);
      rules.tooFew();
      rules.oneHost();
      rules.noSpare();
      rules.domain();
      rules.coming();
    }
    return findings;
  }

  /** There is one BladeSet alone in most clusters, and nothing has to be said of it. */
  private String subject() {
    return view.configuration().bladeSets().size() == 1 ? "" : "bladeset " + set.name();
  }

  private String of() {
    return subject().isEmpty() ? "" : " of BladeSet " + set.name();
  }

  private void tooFew() {
    int copies = volumes.stream().mapToInt(Volume::metaCopies).max().orElse(0);
    if (up.isEmpty() && copies > 0) {
      findings.add(
          Finding.error(
              "osds-none",
              subject(),
              "No OSD" + of() + " is up: nothing can be stored or read.",
              "Start OSDs, at least " + copies + " of them."));
    } else if (up.size() < copies) {
      findings.add(
          Finding.warning(
              "osds-too-few",
              subject(),
              (up.size() == 1 ? "1 OSD" + of() + " is up" : up.size() + " OSDs" + of() + " are up")
                  + "; directories and attributes"
                  + " should have "
                  + copies
                  + " copies and have as many as there are OSDs.",
              "Add or start " + (copies - up.size()) + " more."));
    }
  }

  /** A code that people set and that takes all OSDs: a lost one leaves nowhere to rebuild on. */
  private void noSpare() {
    long staying = staying();
    for (Volume volume : volumes) {
      int width = volume.defaultDataUnits() + volume.defaultParityUnits();
      if (volume.defaultDataUnits() > 0 && volume.defaultParityUnits() > 0 && staying == width) {
        findings.add(
            Finding.warning(
                "layout-without-spare",
                "volume " + volume.path(),
                "New files of volume %s are %d+%d, on all %d OSDs%s: no spare; a lost OSD cannot be rebuilt until one is added."
                    .formatted(
                        volume.path(),
                        volume.defaultDataUnits(),
                        volume.defaultParityUnits(),
                        staying,
                        of()),
                "Add an OSD, or give directories a narrower layout (weft layout set)."));
      }
    }
  }

  /** OSDs of the BladeSet that are neither drained nor removed. */
  private long staying() {
    PlacementOrders placement = view.configuration().history().placement();
    SortedSet<OsdId> out = new TreeSet<>(placement.drainingOsds());
    out.addAll(placement.removed());
    return view.configuration().osds().values().stream()
        .filter(osd -> osd.bladeSet().equals(set.name()) && !out.contains(osd.id()))
        .count();
  }

  private void oneHost() {
    SortedSet<String> hosts = new TreeSet<>();
    up.forEach(osd -> hosts.add(osd.node().host()));
    if (up.size() > 1 && hosts.size() == 1) {
      findings.add(
          Finding.warning(
              "osds-one-host",
              subject(),
              "All OSDs"
                  + of()
                  + " are on one host, "
                  + hosts.first()
                  + ": files survive the loss of single"
                  + " OSDs, not of the host.",
              "For more than a trial, add OSDs on other hosts."));
    }
  }

  /** A domain that people asked for, or racks that they told of, and that files do not keep to. */
  private void domain() {
    SortedSet<OsdId> out = view.configuration().history().placement().drainingOsds();
    List<OsdNode> taking = up.stream().filter(osd -> !out.contains(osd.id())).toList();
    DomainCounts counts =
        new DomainCounts(
            taking.size(),
            (int) taking.stream().map(osd -> osd.node().host()).distinct().count(),
            (int) taking.stream().map(OsdNode::rack).distinct().count());
    boolean hasRacks = taking.stream().anyMatch(osd -> !osd.rack().isEmpty());
    FaultDomain wanted =
        set.domain() == FaultDomain.Wish.AUTO && !hasRacks
            ? (counts.hosts() > 1 ? FaultDomain.HOST : FaultDomain.OSD)
            : set.domain().largest();
    for (Volume volume : volumes) {
      int least = Math.max(1, volume.defaultDataUnits()) + volume.defaultParityUnits();
      if (taking.size() < least || wanted == FaultDomain.OSD) {
        continue;
      }
      int width =
          volume.defaultDataUnits() > 0
              ? least
              : counts.width(set.domain(), volume.defaultParityUnits());
      FaultDomain inForce = counts.inForce(set.domain(), width);
      if (inForce.compareTo(wanted) < 0) {
        findings.add(
            Finding.warning(
                "domain-too-few",
                "volume " + volume.path(),
                "New files of %s lie on %d OSDs, and BladeSet %s has %d %ss: no two are on one %s instead."
                    .formatted(
                        volume.path(),
                        width,
                        set.name(),
                        counts.of(wanted),
                        wanted.word(),
                        inForce.word()),
                "Add OSDs in other %ss, or say that this is meant: weft bladeset set %s --domain %s%s."
                    .formatted(
                        wanted.word(),
                        set.name(),
                        inForce.word(),
                        set.domain() == FaultDomain.Wish.AUTO && counts.racks() > 1
                            ? " (or rack, and files become narrower)"
                            : "")));
      }
    }
  }

  private void coming() {
    for (OsdId id : set.coming()) {
      findings.add(
          Finding.warning(
              "bladeset-grows",
              "osd-" + id,
              "osd-%s comes into BladeSet %s as soon as no file is on it."
                  .formatted(id, set.name()),
              "Nothing; to call it off: weft osd drain --undo osd-%s.".formatted(id)));
    }
  }
}
