package org.weft.sysmgr.configuration;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Backup;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeLife;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * Records a volume that is to be made, with a new partition and a key. It gets the UP manager with
 * the fewest volumes that is not drained. A manager that is to be avoided gets it only if there is
 * no other. What the directory above says of it is seen later, by its manager.
 */
final class CreateVolumeRule {
  /** A manager has threads and a cache for each of its volumes. */
  static final int MAX_VOLUMES = 64;

  private static final int MAX_DATA_UNITS = 32;
  private static final int FIRST_KEY_VERSION = 1;

  private CreateVolumeRule() {}

  static Decision decide(Configuration state, Command.CreateVolume command) {
    if (state.history().endedByNonce(command.nonce()).isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Optional<String> fault = VolumePaths.fault(command.path()).or(() -> fault(command));
    if (fault.isPresent()) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, fault.get());
    }
    Optional<Volume> there = VolumePaths.at(state.volumes(), command.path());
    if (there.isPresent()) {
      return exists(state, there.get(), command);
    }
    Optional<CommandResult.Refused> refusal = refusal(state, command);
    if (refusal.isPresent()) {
      return Decision.unchanged(state, refusal.get());
    }
    Optional<ManagerId> owner = leastLoaded(state, command.avoided());
    if (owner.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.UNAVAILABLE,
          "no manager is up that could serve the volume and is not drained; start one");
    }
    Volume parent = VolumePaths.above(state.volumes(), command.path()).orElseThrow();
    return new Decision(record(state, command, parent, owner.get()), new CommandResult.Done());
  }

  private static Decision exists(Configuration state, Volume there, Command.CreateVolume command) {
    if (there.life().nonce() == command.nonce()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    boolean inTheMaking =
        there.stage() == VolumeStage.CREATING || there.stage() == VolumeStage.FORMATTED;
    if (inTheMaking && isAlike(there, command)) {
      // The client that asked first may not be waiting any more; this one asks for the same.
      ConfigurationDraft draft = new ConfigurationDraft(state);
      draft.volumes.put(there.id(), there.with(there.life().askedAgain(command.nonce())));
      return new Decision(draft.freeze(), new CommandResult.Done());
    }
    String how =
        switch (there.stage()) {
          case CREATING, FORMATTED -> " is being made already, with other settings";
          case ACTIVE -> " exists already";
          case DELETING, EMPTIED -> " is being deleted; try again when it is gone";
        };
    return Decision.refused(state, ErrorCode.EXISTS, "the volume " + there.path() + how);
  }

  private static boolean isAlike(Volume there, Command.CreateVolume command) {
    return there.maxParity() == command.maxParity()
        && there.bladeSet().equals(command.bladeSet())
        && there.defaultDataUnits() == command.defaultDataUnits()
        && there.defaultParityUnits() == command.defaultParityUnits();
  }

  private static Optional<CommandResult.Refused> refusal(
      Configuration state, Command.CreateVolume command) {
    if (!state.bladeSets().containsKey(command.bladeSet())) {
      return BladeSetRule.absent(state, command.bladeSet());
    }
    if (state.volumes().size() >= MAX_VOLUMES) {
      return refused(
          ErrorCode.NO_SPACE,
          "the cluster has " + MAX_VOLUMES + " volumes, the most that it can have; delete one");
    }
    Optional<Volume> below = VolumePaths.below(state.volumes(), command.path());
    if (below.isPresent()) {
      return refused(
          ErrorCode.EXISTS, "the volume " + below.get().path() + " lies below " + command.path());
    }
    Optional<Volume> parent = VolumePaths.above(state.volumes(), command.path());
    if (parent.isEmpty() || parent.get().stage() != VolumeStage.ACTIVE) {
      return refused(
          ErrorCode.NOT_FOUND,
          parent
              .map(volume -> "the volume " + volume.path() + " above is not there yet, or is going")
              .orElse("there is no root volume yet"));
    }
    return Optional.empty();
  }

  private static Optional<CommandResult.Refused> refused(ErrorCode code, String message) {
    return Optional.of(new CommandResult.Refused(code, message));
  }

  private static Optional<String> fault(Command.CreateVolume command) {
    if (command.maxParity() < 0 || command.maxParity() > Volume.MAX_PARITY) {
      return Optional.of(
          "a volume allows 0 to "
              + Volume.MAX_PARITY
              + " parity units, got "
              + command.maxParity());
    }
    if (command.defaultParityUnits() < 0 || command.defaultParityUnits() > command.maxParity()) {
      return Optional.of(
          "new files cannot have "
              + command.defaultParityUnits()
              + " parity units where "
              + command.maxParity()
              + " are the most");
    }
    if (command.defaultDataUnits() < 0 || command.defaultDataUnits() > MAX_DATA_UNITS) {
      return Optional.of(
          "new files have 1 to "
              + MAX_DATA_UNITS
              + " data units (0: by the number of OSDs), got "
              + command.defaultDataUnits());
    }
    return command.nonce() == 0 ? Optional.of("a request needs a nonce") : Optional.empty();
  }

  private static Optional<ManagerId> leastLoaded(Configuration state, Set<ManagerId> avoided) {
    return state.managers().values().stream()
        .filter(state.history().placement()::takesVolumes)
        .map(ManagerNode::id)
        .min(
            Comparator.<ManagerId, Boolean>comparing(avoided::contains)
                .thenComparing(id -> volumesOf(state, id))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static long volumesOf(Configuration state, ManagerId manager) {
    return state.volumes().values().stream()
        .filter(volume -> volume.owner().equals(Optional.of(manager)))
        .count();
  }

  private static Configuration record(
      Configuration state, Command.CreateVolume command, Volume parent, ManagerId owner) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    PartitionId id = draft.issueVolumeId();
    VolumeLife life =
        new VolumeLife(
            VolumeStage.CREATING,
            Optional.of(parent.id()),
            draft.issueOperation(),
            command.nonce());
    draft.volumes.put(
        id,
        new Volume(
            id,
            command.path(),
            Optional.of(owner),
            0,
            command.maxParity(),
            command.bladeSet(),
            false,
            command.defaultDataUnits(),
            command.defaultParityUnits(),
            life,
            Backup.NONE,
            Optional.empty()));
    List<Partition.Key> keys = List.of(new Partition.Key(FIRST_KEY_VERSION, command.key()));
    draft.partitions.put(id, new Partition(id, keys, 0));
    return draft.freeze();
  }
}
