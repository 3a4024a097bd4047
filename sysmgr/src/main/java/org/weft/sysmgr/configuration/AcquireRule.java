package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Gives each start of a manager a new epoch of every volume it owns (P 6.2). The epoch is at once
 * the fence of the volume's partition. A repeat of the last start's nonce gets the same answer. A
 * process that has been replaced is refused. What it had asked before it died may arrive when the
 * next one serves already, and must not depose it. So a start asks under the incarnation that it
 * has joined as. Two processes of one incarnation, from a copied data directory, differ by their
 * nonces. A volume that was made after the start gets its first epoch when the same process asks
 * for it.
 */
final class AcquireRule {
  private AcquireRule() {}

  static Decision decide(Configuration state, Command.Acquire command) {
    ManagerNode manager = state.managers().get(command.manager());
    if (manager == null) {
      return Decision.refused(
          state,
          ErrorCode.NOT_FOUND,
          "manager-" + command.manager() + " has not joined this cluster; join again");
    }
    long joined = manager.node().incarnation();
    if (command.incarnation() != joined) {
      return Long.compareUnsigned(command.incarnation(), joined) < 0
          ? replaced(state, command)
          : Decision.refused(
              state,
              ErrorCode.NOT_FOUND,
              "manager-" + command.manager() + " has not joined since it was started; join again");
    }
    List<PartitionId> owned =
        state.volumes().values().stream()
            .filter(volume -> volume.owner().equals(Optional.of(command.manager())))
            .map(Volume::id)
            .toList();
    int start = manager.nonces().lastIndexOf(command.nonce());
    if (start >= 0 && start == manager.nonces().size() - 1) {
      return command.volume().isEmpty()
          ? Decision.unchanged(state, new CommandResult.Acquired(withEpoch(state, owned)))
          : acquireOne(state, command.volume().get(), owned);
    }
    if (start >= 0) {
      return replaced(state, command);
    }
    if (command.volume().isPresent()) {
      return Decision.refused(
          state,
          ErrorCode.FENCED,
          "manager-" + command.manager() + " has not started under this nonce; start it again");
    }
    return acquire(state, manager.started(command.nonce()), owned);
  }

  private static Decision replaced(Configuration state, Command.Acquire command) {
    return Decision.refused(
        state,
        ErrorCode.FENCED,
        "manager-" + command.manager() + " has started again since; this process must end");
  }

  /** One that was made since has no epoch: the manager asks for it alone. */
  private static List<PartitionId> withEpoch(Configuration state, List<PartitionId> owned) {
    return owned.stream().filter(id -> state.volumes().get(id).epoch() > 0).toList();
  }

  private static Decision acquireOne(Configuration state, PartitionId id, List<PartitionId> owned) {
    if (!owned.contains(id)) {
      return Decision.refused(
          state, ErrorCode.NOT_FOUND, "there is no volume " + id + " of this manager");
    }
    CommandResult answer = new CommandResult.Acquired(List.of(id));
    if (state.volumes().get(id).epoch() > 0) {
      return Decision.unchanged(state, answer);
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.volumes.computeIfPresent(id, (key, volume) -> volume.withEpoch(1));
    draft.partitions.computeIfPresent(id, (key, partition) -> partition.fencedBy(1));
    return new Decision(draft.freeze(), answer);
  }

  private static Decision acquire(
      Configuration state, ManagerNode manager, List<PartitionId> owned) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.managers.put(manager.id(), manager);
    for (PartitionId id : owned) {
      long epoch = state.volumes().get(id).epoch() + 1;
      if (epoch > Lsn.MAX_EPOCH) {
        return Decision.refused(
            state, ErrorCode.UNSUPPORTED, "volume " + id + " has used up all its epochs");
      }
      draft.volumes.computeIfPresent(id, (key, volume) -> volume.withEpoch(epoch));
      draft.partitions.computeIfPresent(id, (key, partition) -> partition.fencedBy(epoch));
    }
    return new Decision(draft.freeze(), new CommandResult.Acquired(owned));
  }
}
