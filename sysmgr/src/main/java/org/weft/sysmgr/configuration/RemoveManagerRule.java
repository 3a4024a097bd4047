package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.RemovedManager;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Removes a manager of which an operator says that it does not come back (P 6.2). No volume's row
 * may name it. A primary or backup may have the only copy of what was acknowledged, and this
 * command never gives that away. It must be down. Then nothing is lost with it, whatever its
 * process does: it may serve no volume without a row. Its own row goes; its identity stays, and is
 * let in no more. Decided by the state and the command alone, so that every member and every replay
 * decides alike.
 */
final class RemoveManagerRule {
  private static final int MAX_NAMED = 8;

  private RemoveManagerRule() {}

  static Decision decide(Configuration state, Command.RemoveManager command) {
    ManagerId id = command.manager();
    PlacementOrders placement = state.history().placement();
    if (placement.removedManagers().containsKey(id)) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    ManagerNode manager = state.managers().get(id);
    if (manager == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "there is no manager-%s; `weft status` shows them".formatted(id));
    }
    boolean isDown = manager.node().liveness() == Liveness.DOWN;
    List<Volume> owned = volumes(state, volume -> volume.owner().filter(id::equals).isPresent());
    if (!owned.isEmpty()) {
      return Decision.refused(
          state, ErrorCode.INVALID_ARGUMENT, isDown ? down(id, owned) : undrained(id, owned));
    }
    if (!isDown) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "manager-%s is %s, and only a manager that is down can be removed: stop its process first, and wait until `weft status` shows that it is down"
              .formatted(id, manager.node().liveness().name()));
    }
    List<Volume> backedUp =
        volumes(state, volume -> volume.backup().manager().filter(id::equals).isPresent());
    if (!backedUp.isEmpty()) {
      return Decision.refused(state, ErrorCode.UNAVAILABLE, isBackup(id, backedUp));
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.managers.remove(id);
    draft.histories.remove(NodeKey.of(id));
    draft.placement(
        placement.without(
            id,
            new RemovedManager(
                manager.node().identity(), manager.node().host(), command.nowMillis())));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  private static List<Volume> volumes(Configuration state, Predicate<Volume> which) {
    return state.volumes().values().stream().filter(which).toList();
  }

  private static String undrained(ManagerId id, List<Volume> owned) {
    return "manager-%s is the primary of %s: drain it first (weft manager drain manager-%s), then stop its process, then remove it"
        .formatted(id, paths(owned), id);
  }

  /** The volumes without a backup first: their journal is there alone. */
  private static String down(ManagerId id, List<Volume> owned) {
    List<Volume> alone =
        owned.stream().filter(volume -> volume.backup().manager().isEmpty()).toList();
    if (alone.isEmpty()) {
      return "manager-%s is the primary of %s, and is down: each goes to its backup by itself when that is up; start %s, then remove manager-%s"
          .formatted(id, paths(owned), backups(owned), id);
    }
    return "manager-%s is the primary of %s, and the only copy of the journal of %s lies there: start it, drain it (weft manager drain manager-%s), stop it, then remove it; if its disk is lost, recover each volume first (weft volume recover %s)"
        .formatted(id, paths(owned), paths(alone), id, alone.get(0).path());
  }

  private static String isBackup(ManagerId id, List<Volume> backedUp) {
    return "manager-%s is named as the backup of %s still: the primary names another one, or none, within seconds; if that does not happen, start %s"
        .formatted(
            id,
            paths(backedUp),
            backedUp.stream()
                .flatMap(volume -> volume.owner().stream())
                .distinct()
                .limit(MAX_NAMED)
                .map(owner -> "manager-" + owner)
                .collect(Collectors.joining(", ")));
  }

  private static String backups(List<Volume> owned) {
    return owned.stream()
        .flatMap(volume -> volume.backup().manager().stream())
        .distinct()
        .limit(MAX_NAMED)
        .map(backup -> "manager-" + backup)
        .collect(Collectors.joining(", "));
  }

  private static String paths(List<Volume> volumes) {
    String named =
        volumes.stream().limit(MAX_NAMED).map(Volume::path).collect(Collectors.joining(", "));
    int more = volumes.size() - MAX_NAMED;
    return (volumes.size() == 1 ? "volume " : "volumes ")
        + named
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** Why a manager of that identity may not join; empty if it was not removed. */
  static Optional<String> refusal(Configuration state, String identity) {
    return state.history().placement().removedManagers().entrySet().stream()
        .filter(each -> each.getValue().identity().equals(identity))
        .findFirst()
        .map(
            each ->
                "manager-%s was removed from the cluster, and holds nothing that volumes need; give the manager an empty data directory, then it joins as a new one"
                    .formatted(each.getKey()));
  }
}
