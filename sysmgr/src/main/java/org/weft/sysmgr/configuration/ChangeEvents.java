package org.weft.sysmgr.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.state.RepairPause;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeMove;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Finds the events that happened between two states of the configuration. It is found by comparing
 * them, so that each member of SysMgr finds the same, whichever command led from one to the other.
 */
final class ChangeEvents {
  private final Configuration before;
  private final Configuration after;
  private final List<Event> events = new ArrayList<>();

  private ChangeEvents(Configuration before, Configuration after) {
    this.before = before;
    this.after = after;
  }

  @SuppressWarnings("ReferenceEquality") // Nothing can differ in the very same state.
  static List<Event> between(Configuration before, Configuration after) {
    if (before == after) {
      return List.of();
    }
    ChangeEvents changes = new ChangeEvents(before, after);
    changes.cluster();
    after.osds().values().forEach(changes::osd);
    changes.bladeSets();
    changes.placements();
    after.managers().values().forEach(changes::manager);
    changes.volumes();
    changes.members();
    return changes.events;
  }

  private void add(String kind, String subject, String what) {
    events.add(Event.of(kind, subject, what));
  }

  private void cluster() {
    if (before.cluster().isEmpty() && after.cluster().isPresent()) {
      add("cluster-made", "", "Cluster " + after.cluster().get().name() + " was made.");
    }
  }

  private void osd(OsdNode now) {
    String name = "osd-" + now.id();
    OsdNode then = before.osds().get(now.id());
    if (then == null) {
      add("osd-joined", name, name + " joined for the first time, on " + now.node().host() + ".");
      return;
    }
    if (then.node().incarnation() != now.node().incarnation()) {
      add("osd-started", name, name + " was started, on " + now.node().host() + ".");
    }
    if (!then.bladeSet().equals(now.bladeSet())) {
      add(
          "osd-bladeset",
          name,
          name + " went from BladeSet " + then.bladeSet() + " to " + now.bladeSet() + ".");
    }
    if (!then.rack().equals(now.rack())) {
      add(
          "osd-rack",
          name,
          name + " is in rack '" + now.rack() + "', it was in '" + then.rack() + "'.");
    }
    if (then.unusable().isEmpty() && now.unusable().isPresent()) {
      add(
          "osd-given-up",
          name,
          name + " is given up, for managers cannot use it: " + now.unusable().get().why() + ".");
    } else if (then.unusable().isPresent() && now.unusable().isEmpty()) {
      add("osd-usable", name, "Managers can use " + name + " again.");
    }
    if (then.node().liveness() != now.node().liveness()) {
      osdIs(name, now);
    }
  }

  private void osdIs(String name, OsdNode now) {
    Node node = now.node();
    switch (node.liveness()) {
      case UP -> add("osd-up", name, name + " is up.");
      case SUSPECT -> add("osd-suspect", name, name + " is not heard.");
      case QUARANTINED ->
          add(
              "osd-quarantined",
              name,
              name + " is in quarantine, until its volumes' managers have compared what it holds.");
      case DOWN ->
          add(
              "osd-down",
              name,
              name
                  + " is down"
                  + (node.storeFailed()
                      ? ": its store takes no changes any more: " + node.storeFailure()
                      : node.stopped() ? ": it was stopped" : "")
                  + ".");
    }
  }

  private void bladeSets() {
    for (BladeSet now : after.bladeSets().values()) {
      BladeSet then = before.bladeSets().get(now.name());
      String subject = "bladeset " + now.name();
      if (then == null) {
        if (before.cluster().isPresent()) {
          add("bladeset-made", subject, "BladeSet " + now.name() + " was made.");
        }
        continue;
      }
      if (then.domain() != now.domain()) {
        add(
            "bladeset-domain",
            subject,
            "BladeSet %s keeps to fault domain %s; it was %s."
                .formatted(now.name(), now.domain().word(), then.domain().word()));
      }
      added(then.coming(), now.coming())
          .forEach(
              id ->
                  add(
                      "bladeset-grows",
                      subject,
                      "osd-%s is to come into BladeSet %s once it holds nothing."
                          .formatted(id, now.name())));
    }
    for (String gone : added(after.bladeSets().keySet(), before.bladeSets().keySet())) {
      Optional<String> into = BladeSetRule.resolved(after, gone);
      add(
          into.isPresent() ? "bladeset-merged" : "bladeset-deleted",
          "bladeset " + gone,
          "BladeSet %s %s."
              .formatted(gone, into.map(each -> "was merged into " + each).orElse("was deleted")));
    }
  }

  private void placements() {
    PlacementOrders then = before.history().placement();
    PlacementOrders now = after.history().placement();
    added(then.removed(), now.removed())
        .forEach(id -> add("osd-removed", "osd-" + id, "osd-" + id + " was removed for good."));
    Set<OsdId> thenDraining = then.drainingOsds();
    Set<OsdId> nowDraining = now.drainingOsds();
    added(thenDraining, nowDraining)
        .forEach(
            id ->
                add(
                    "osd-drain-begun",
                    "osd-" + id,
                    "osd-" + id + " is to be drained: what it holds goes to others."));
    added(nowDraining, thenDraining).stream()
        .filter(id -> !now.removed().contains(id))
        .forEach(
            id -> add("osd-drain-called-off", "osd-" + id, "osd-" + id + " is drained no more."));
    added(then.draining(), now.draining())
        .forEach(
            id ->
                add(
                    "manager-drain-begun",
                    "manager-" + id,
                    "manager-" + id + " is to be drained: its volumes move to others."));
    added(now.draining(), then.draining()).stream()
        .filter(id -> !now.removedManagers().containsKey(id))
        .forEach(
            id ->
                add(
                    "manager-drain-called-off",
                    "manager-" + id,
                    "manager-" + id + " is drained no more."));
    added(then.removedManagers().keySet(), now.removedManagers().keySet())
        .forEach(
            id ->
                add(
                    "manager-removed",
                    "manager-" + id,
                    "manager-%s, which ran on %s, was removed for good."
                        .formatted(id, now.removedManagers().get(id).host())));
    repairPause(then.repairPause(), now.repairPause());
    then.balances()
        .forEach(
            (bladeSet, balance) -> {
              if (balance.isUnderWay() && now.balance(bladeSet).isEmpty()) {
                add(
                    "balance-ended",
                    "BladeSet " + bladeSet,
                    "The balance of BladeSet %s has ended: the BladeSet is no more."
                        .formatted(bladeSet));
              }
            });
    now.balances()
        .forEach(
            (bladeSet, balance) ->
                balance
                    .change(then.balance(bladeSet))
                    .ifPresent(
                        change ->
                            add(
                                "balance-" + change.word(),
                                "BladeSet " + bladeSet,
                                change.sentence(bladeSet))));
  }

  private void repairPause(Optional<RepairPause> then, Optional<RepairPause> now) {
    if (then.equals(now)) {
      return;
    }
    if (now.isPresent()) {
      add("repair-paused", "", "Rebuilds and drains are paused " + now.get().words() + ".");
    } else {
      add("repair-resumed", "", "Rebuilds and drains go on.");
    }
  }

  private static <T extends Comparable<T>> SortedSet<T> added(Set<T> then, Set<T> now) {
    SortedSet<T> added = new TreeSet<>(now);
    added.removeAll(then);
    return added;
  }

  private void manager(ManagerNode now) {
    String name = "manager-" + now.id();
    ManagerNode then = before.managers().get(now.id());
    if (then == null) {
      add(
          "manager-joined",
          name,
          name + " joined for the first time, on " + now.node().host() + ".");
      return;
    }
    if (then.node().incarnation() != now.node().incarnation()) {
      add("manager-started", name, name + " was started, on " + now.node().host() + ".");
    }
    if (then.node().liveness() != now.node().liveness()) {
      switch (now.node().liveness()) {
        case UP -> add("manager-up", name, name + " is up.");
        case SUSPECT -> add("manager-suspect", name, name + " is not heard.");
        case DOWN ->
            add(
                "manager-down",
                name,
                name + " is down" + (now.node().stopped() ? ": it was stopped." : "."));
        case QUARANTINED -> throw new AssertionError(name + " is in quarantine");
      }
    }
  }

  private void volumes() {
    for (Volume now : after.volumes().values()) {
      Volume then = before.volumes().get(now.id());
      String subject = "volume " + now.path();
      if (then == null) {
        add("volume-made", subject, "Volume " + now.path() + " is being made.");
      } else {
        volume(subject, then, now);
      }
    }
    for (Map.Entry<PartitionId, Volume> each : before.volumes().entrySet()) {
      if (!after.volumes().containsKey(each.getKey())) {
        String path = each.getValue().path();
        add("volume-gone", "volume " + path, "Volume " + path + " is gone.");
      }
    }
  }

  private void volume(String subject, Volume then, Volume now) {
    if (then.stage() != now.stage() && now.stage() == VolumeStage.ACTIVE) {
      add("volume-ready", subject, "Volume " + now.path() + " can be used.");
    } else if (then.stage() != now.stage() && now.stage() == VolumeStage.DELETING) {
      add("volume-deleting", subject, "Volume " + now.path() + " is being deleted.");
    }
    if (!then.owner().equals(now.owner())) {
      add(
          "volume-primary",
          subject,
          "Volume %s went from %s to %s, in epoch %d."
              .formatted(now.path(), manager(then.owner()), manager(now.owner()), now.epoch()));
    }
    Optional<ManagerId> backupThen = then.backup().manager();
    Optional<ManagerId> backupNow = now.backup().manager();
    if (!backupThen.equals(backupNow)) {
      add(
          "volume-backup",
          subject,
          "The backup of volume %s is %s; it was %s."
              .formatted(now.path(), manager(backupNow), manager(backupThen)));
    }
    if (now.recovery().isPresent() && !now.recovery().equals(then.recovery())) {
      String reason = now.recovery().get().reason();
      add(
          "volume-recovery-begun",
          subject,
          "Volume %s is to be recovered from its OSDs by %s%s."
              .formatted(
                  now.path(),
                  manager(now.owner()),
                  reason.isEmpty() ? "" : ", for the reason: " + reason));
    } else if (now.recovery().isEmpty() && then.recovery().isPresent()) {
      add("volume-recovered", subject, "Volume " + now.path() + " was recovered from its OSDs.");
    }
    moved(subject, now);
  }

  private void moved(String subject, Volume now) {
    Optional<VolumeMove> then = move(before, now.id());
    Optional<VolumeMove> move = move(after, now.id());
    if (move.isPresent() && !move.equals(then)) {
      add(
          move.get().underWay() ? "volume-move-begun" : "volume-move-given-up",
          subject,
          move.get().underWay()
              ? "Volume " + now.path() + " is to move to manager-" + move.get().target() + "."
              : "The move of volume " + now.path() + " was given up: " + move.get().failure());
    }
  }

  private static Optional<VolumeMove> move(Configuration state, PartitionId volume) {
    return Optional.ofNullable(state.history().placement().moves().get(volume));
  }

  private static String manager(Optional<ManagerId> manager) {
    return manager.map(id -> "manager-" + id).orElse("none");
  }

  private void members() {
    Map<Integer, Member> then = new HashMap<>();
    before.sysmgr().members().forEach(each -> then.put(each.memberId(), each));
    Map<Integer, Member> now = new HashMap<>();
    after.sysmgr().members().forEach(each -> now.put(each.memberId(), each));
    for (int id : added(then.keySet(), now.keySet())) {
      add(
          "sysmgr-member-added",
          "sysmgr-" + id,
          "SysMgr has member " + id + ", at " + now.get(id).rpc() + ".");
    }
    for (int id : added(now.keySet(), then.keySet())) {
      add("sysmgr-member-removed", "sysmgr-" + id, "SysMgr has member " + id + " no more.");
    }
  }
}
