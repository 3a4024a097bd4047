package org.weft.sysmgr.configuration.stored;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Optional;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.AcquireVolumesCommand;
import org.weft.protocol.wire.ConfigurationCommand;
import org.weft.protocol.wire.FormatCommand;
import org.weft.protocol.wire.JoinNodeCommand;
import org.weft.protocol.wire.LivenessChange;
import org.weft.protocol.wire.NoteHistoriesCommand;
import org.weft.protocol.wire.ReadmitOsdCommand;
import org.weft.protocol.wire.RestoreCommand;
import org.weft.protocol.wire.SetLivenessCommand;
import org.weft.protocol.wire.VolumeFormattedCommand;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.StartProof;

/** Commands as the log keeps them: {@code ConfigurationCommand} of sysmgr-state.proto. */
public final class CommandCodec {
  private CommandCodec() {}

  /** Without time and user. */
  public static byte[] encode(Command command) {
    return encode(command, 0, "");
  }

  /**
   * The command with what the log of events says of it.
   *
   * @param nowMillis wall time of the leader
   * @param user that asked for it; empty: none did
   */
  public static byte[] encode(Command command, long nowMillis, String user) {
    ConfigurationCommand.Builder stored =
        ConfigurationCommand.newBuilder()
            .setRelease(Release.current())
            .setNowMillis(nowMillis)
            .setUser(user);
    if (command instanceof Command.Format format) {
      stored.setFormat(format(format));
    } else if (command instanceof Command.Join join) {
      switch (join.kind()) {
        case OSD -> stored.setJoinOsd(join(join));
        case MANAGER -> stored.setJoinManager(join(join));
      }
    } else if (command instanceof Command.SetLiveness liveness) {
      stored.setSetLiveness(liveness(liveness));
    } else if (command instanceof Command.Acquire acquire) {
      stored.setAcquireVolumes(
          AcquireVolumesCommand.newBuilder()
              .setManagerId(acquire.manager().value())
              .setIncarnation(acquire.incarnation())
              .setNonce(acquire.nonce())
              .setNowMillis(acquire.nowMillis())
              .setVolumeId(acquire.volume().map(PartitionId::value).orElse(0L)));
    } else if (command instanceof Command.Formatted formatted) {
      stored.setVolumeFormatted(
          VolumeFormattedCommand.newBuilder()
              .setManagerId(formatted.manager().value())
              .setVolumeId(formatted.volume().value())
              .setEpoch(formatted.epoch()));
    } else if (command instanceof Command.CreateVolume create) {
      if (create.avoided().isEmpty()) {
        stored.setCreateVolume(VolumeCommandCodec.create(create));
      } else {
        stored.setCreateVolumeElsewhere(VolumeCommandCodec.create(create));
      }
    } else if (command instanceof Command.DeleteVolume delete) {
      stored.setDeleteVolume(VolumeCommandCodec.delete(delete));
    } else if (command instanceof Command.Step step) {
      stored.setVolumeStep(VolumeCommandCodec.step(step));
    } else if (command instanceof Command.Readmit readmit) {
      stored.setReadmitOsd(readmit(readmit));
    } else if (command instanceof Command.SetUnusable unusable) {
      stored.setSetUnusable(UnusableOsdCodec.stored(unusable));
    } else if (command instanceof Command.SetUsable usable) {
      stored.setSetUsable(UnusableOsdCodec.stored(usable));
    } else if (command instanceof Command.EnlistMember enlist) {
      stored.setEnlistMember(MemberCodec.stored(enlist));
    } else if (command instanceof Command.ChangeMember change) {
      stored.setChangeMember(MemberCodec.stored(change));
    } else if (command instanceof Command.SettleMembers settle) {
      stored.setSettleMembers(MemberCodec.stored(settle));
    } else if (command instanceof Command.Restore restore) {
      stored.setRestore(
          RestoreCommand.newBuilder().setSnapshot(PackedConfiguration.pack(restore.restored())));
    } else if (command instanceof Command.NoteHistories histories) {
      stored.setNoteHistories(HistoryCodec.stored(histories));
    } else if (command instanceof Command.SetBackup backup) {
      stored.setSetBackup(VolumeCommandCodec.backup(backup));
    } else if (command instanceof Command.HandOver handOver) {
      stored.setHandOver(VolumeCommandCodec.handOver(handOver));
    } else if (command instanceof Command.MoveVolume move) {
      stored.setMoveVolume(MoveCodec.stored(move));
    } else if (command instanceof Command.EndMove end) {
      stored.setEndMove(MoveCodec.stored(end));
    } else if (command instanceof Command.RemoveOsd remove) {
      stored.setRemoveOsd(MoveCodec.stored(remove));
    } else if (command instanceof Command.DrainOsd drain) {
      stored.setDrainOsd(MoveCodec.stored(drain));
    } else if (command instanceof Command.NoteEvents note) {
      // For members of an older release, which would stop at what they do not know.
      stored.setNoteHistories(NoteHistoriesCommand.getDefaultInstance());
      stored.setNoteEvents(EventCodec.stored(note));
    } else if (command instanceof Command.DrainManager drain) {
      stored.setDrainManager(MoveCodec.stored(drain));
    } else if (command instanceof Command.RemoveManager remove) {
      stored.setRemoveManager(MoveCodec.stored(remove));
    } else if (command instanceof Command.PauseRepairs pause) {
      stored.setPauseRepairs(RepairPauseCodec.stored(pause));
    } else if (command instanceof Command.ResumeRepairs resume) {
      stored.setResumeRepairs(RepairPauseCodec.stored(resume));
    } else if (command instanceof Command.ChangeBladeSet change) {
      stored.setChangeBladeSet(BladeSetCodec.stored(change));
    } else if (command instanceof Command.PutNfsExport export) {
      if (export.manageGids().isPresent()) {
        stored.setPutNfsExportWithGroups(NfsCodec.stored(export));
      } else {
        stored.setPutNfsExport(NfsCodec.stored(export));
      }
    } else if (command instanceof Command.RemoveNfsExport export) {
      stored.setRemoveNfsExport(NfsCodec.stored(export));
    } else if (command instanceof Command.PutNfsGroups groups) {
      stored.setPutNfsGroups(NfsCodec.stored(groups));
    } else if (command instanceof Command.PutNfsId id) {
      stored.setPutNfsId(NfsCodec.stored(id));
    } else if (command instanceof Command.TakeNfsAddresses take) {
      stored.setTakeNfsAddresses(NfsMonitorCodec.stored(take));
    } else if (command instanceof Command.WatchNfsClients watch) {
      stored.setWatchNfsClients(NfsMonitorCodec.stored(watch));
    } else if (command instanceof Command.SetBalance balance) {
      stored.setSetBalance(BalanceCodec.stored(balance));
    } else if (command instanceof Command.PlanBalance plan) {
      stored.setPlanBalance(BalanceCodec.stored(plan));
    } else if (command instanceof Command.RecoverVolume recover) {
      stored.setRecoverVolume(RecoverCodec.stored(recover));
    } else if (command instanceof Command.Recovered recovered) {
      stored.setVolumeRecovered(RecoverCodec.stored(recovered));
    } else {
      throw new AssertionError("unhandled command: " + command);
    }
    return stored.build().toByteArray();
  }

  /**
   * What stands beside a command.
   *
   * @param nowMillis for the log of events
   * @param user for the log of events
   * @param number since which it exists, see {@link CommandNumbers}
   */
  public record Origin(long nowMillis, String user, int number) {}

  /** Of bytes that {@link #decode} has read. */
  public static Origin origin(byte[] bytes) {
    try {
      ConfigurationCommand stored = ConfigurationCommand.parseFrom(bytes);
      return new Origin(stored.getNowMillis(), stored.getUser(), CommandNumbers.of(stored));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a command: " + e.getMessage(), e);
    }
  }

  /**
   * Reads a command; bytes of any other kind, or of a newer release, are an
   * IllegalArgumentException.
   */
  public static Command decode(byte[] bytes) {
    try {
      ConfigurationCommand stored = ConfigurationCommand.parseFrom(bytes);
      if (stored.hasNoteEvents()) {
        return EventCodec.note(stored.getNoteEvents());
      }
      return switch (stored.getCommandCase()) {
        case FORMAT -> format(stored.getFormat());
        case JOIN_OSD -> join(NodeKey.Kind.OSD, stored.getJoinOsd());
        case JOIN_MANAGER -> join(NodeKey.Kind.MANAGER, stored.getJoinManager());
        case SET_LIVENESS -> liveness(stored.getSetLiveness());
        case ACQUIRE_VOLUMES -> acquire(stored.getAcquireVolumes());
        case VOLUME_FORMATTED -> formatted(stored.getVolumeFormatted());
        case CREATE_VOLUME -> VolumeCommandCodec.create(stored.getCreateVolume());
        case CREATE_VOLUME_ELSEWHERE ->
            VolumeCommandCodec.create(stored.getCreateVolumeElsewhere());
        case DELETE_VOLUME -> VolumeCommandCodec.delete(stored.getDeleteVolume());
        case VOLUME_STEP -> VolumeCommandCodec.step(stored.getVolumeStep());
        case READMIT_OSD -> readmit(stored.getReadmitOsd());
        case SET_UNUSABLE -> UnusableOsdCodec.command(stored.getSetUnusable());
        case SET_USABLE -> UnusableOsdCodec.command(stored.getSetUsable());
        case ENLIST_MEMBER -> MemberCodec.command(stored.getEnlistMember());
        case CHANGE_MEMBER -> MemberCodec.command(stored.getChangeMember());
        case SETTLE_MEMBERS -> MemberCodec.command(stored.getSettleMembers());
        case RESTORE ->
            new Command.Restore(PackedConfiguration.unpack(stored.getRestore().getSnapshot()));
        case NOTE_HISTORIES -> HistoryCodec.command(stored.getNoteHistories());
        case SET_BACKUP -> VolumeCommandCodec.backup(stored.getSetBackup());
        case HAND_OVER -> VolumeCommandCodec.handOver(stored.getHandOver());
        case MOVE_VOLUME -> MoveCodec.command(stored.getMoveVolume());
        case END_MOVE -> MoveCodec.command(stored.getEndMove());
        case REMOVE_OSD -> MoveCodec.command(stored.getRemoveOsd());
        case DRAIN_OSD -> MoveCodec.command(stored.getDrainOsd());
        case DRAIN_MANAGER -> MoveCodec.command(stored.getDrainManager());
        case REMOVE_MANAGER -> MoveCodec.command(stored.getRemoveManager());
        case PAUSE_REPAIRS -> RepairPauseCodec.command(stored.getPauseRepairs());
        case RESUME_REPAIRS -> RepairPauseCodec.command(stored.getResumeRepairs());
        case CHANGE_BLADE_SET -> BladeSetCodec.command(stored.getChangeBladeSet());
        case PUT_NFS_EXPORT -> NfsCodec.command(stored.getPutNfsExport());
        case PUT_NFS_EXPORT_WITH_GROUPS -> NfsCodec.command(stored.getPutNfsExportWithGroups());
        case PUT_NFS_GROUPS -> NfsCodec.command(stored.getPutNfsGroups());
        case REMOVE_NFS_EXPORT -> NfsCodec.command(stored.getRemoveNfsExport());
        case PUT_NFS_ID -> NfsCodec.command(stored.getPutNfsId());
        case TAKE_NFS_ADDRESSES -> NfsMonitorCodec.command(stored.getTakeNfsAddresses());
        case WATCH_NFS_CLIENTS -> NfsMonitorCodec.command(stored.getWatchNfsClients());
        case SET_BALANCE -> BalanceCodec.command(stored.getSetBalance());
        case PLAN_BALANCE -> BalanceCodec.command(stored.getPlanBalance());
        case RECOVER_VOLUME -> RecoverCodec.command(stored.getRecoverVolume());
        case VOLUME_RECOVERED -> RecoverCodec.command(stored.getVolumeRecovered());
        case COMMAND_NOT_SET -> throw unknown(stored.getRelease());
      };
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a command that cannot be read: " + e.getMessage(), e);
    }
  }

  private static IllegalArgumentException unknown(String release) {
    return new IllegalArgumentException(
        release.isEmpty()
            ? "no command of Weft"
            : "a command of release '"
                + release
                + "', which release '"
                + Release.current()
                + "' does not know; run release '"
                + release
                + "' or a newer one");
  }

  private static ReadmitOsdCommand readmit(Command.Readmit readmit) {
    return ReadmitOsdCommand.newBuilder()
        .setManagerId(readmit.manager().value())
        .setVolumeId(readmit.volume().value())
        .setEpoch(readmit.epoch())
        .setOsdId(readmit.osd().value())
        .setIncarnation(readmit.incarnation())
        .setQuarantine(readmit.quarantine())
        .build();
  }

  private static Command readmit(ReadmitOsdCommand stored) {
    return new Command.Readmit(
        new ManagerId(stored.getManagerId()),
        new PartitionId(stored.getVolumeId()),
        stored.getEpoch(),
        new OsdId(stored.getOsdId()),
        stored.getIncarnation(),
        stored.getQuarantine());
  }

  private static FormatCommand format(Command.Format format) {
    return FormatCommand.newBuilder()
        .setClusterId(format.clusterId().value())
        .setClusterName(format.clusterName())
        .setJoinToken(StoredValueCodec.bytes(format.joinToken()))
        .setSuperuser(format.superuser())
        .setRootKey(StoredValueCodec.bytes(format.rootKey()))
        .setNowMillis(format.nowMillis())
        .build();
  }

  private static Command format(FormatCommand stored) {
    return new Command.Format(
        new ClusterId(stored.getClusterId()),
        stored.getClusterName(),
        StoredValueCodec.secret(stored.getJoinToken()),
        stored.getSuperuser(),
        StoredValueCodec.secret(stored.getRootKey()),
        stored.getNowMillis());
  }

  private static JoinNodeCommand join(Command.Join join) {
    JoinNodeCommand.Builder stored =
        JoinNodeCommand.newBuilder()
            .setIdentity(join.identity())
            .setClusterId(join.clusterId())
            .setNodeId(join.nodeId())
            .addAllAddresses(StoredValueCodec.addresses(join.addresses()))
            .setHost(join.host())
            .setIncarnation(join.incarnation())
            .setCapacityBytes(join.capacityBytes())
            .setUnclean(join.unclean())
            .setNowMillis(join.nowMillis())
            .setStoreFailure(join.storeFailure())
            .setRack(join.rack())
            .setBladeSet(join.bladeSet());
    if (!join.proof().equals(StartProof.NONE)) {
      stored.setProof(HistoryCodec.stored(join.proof()));
    }
    if (join.heard().isKnown()) {
      stored.setHeard(HistoryCodec.stored(join.heard()));
    }
    return stored.build();
  }

  private static Command join(NodeKey.Kind kind, JoinNodeCommand stored) {
    return new Command.Join(
        kind,
        stored.getIdentity(),
        stored.getClusterId(),
        stored.getNodeId(),
        StoredValueCodec.endpoints(stored.getAddressesList()),
        stored.getHost(),
        stored.getIncarnation(),
        stored.getCapacityBytes(),
        stored.getUnclean(),
        stored.getNowMillis(),
        stored.getStoreFailure(),
        HistoryCodec.proof(stored.getProof()),
        HistoryCodec.history(stored.getHeard()),
        stored.getRack(),
        stored.getBladeSet());
  }

  private static SetLivenessCommand liveness(Command.SetLiveness command) {
    SetLivenessCommand.Builder stored =
        SetLivenessCommand.newBuilder().setNowMillis(command.nowMillis());
    for (Command.Judgement judgement : command.judgements()) {
      LivenessChange.Builder change =
          LivenessChange.newBuilder()
              .setIncarnation(judgement.incarnation())
              .setLiveness(StoredValueCodec.liveness(judgement.liveness()))
              .setStopped(judgement.stopped())
              .setPartitionsVersion(judgement.partitionsVersion())
              .setQuarantine(judgement.quarantine())
              .setOpenQuarantine(judgement.open().quarantine())
              .addAllOpenVolumes(StoredValueCodec.ids(judgement.open().volumes()))
              .setStoreFailure(judgement.storeFailure());
      switch (judgement.node().kind()) {
        case OSD -> change.setOsdId(judgement.node().id());
        case MANAGER -> change.setManagerId(judgement.node().id());
      }
      stored.addChanges(change);
    }
    return stored.build();
  }

  private static Command liveness(SetLivenessCommand stored) {
    return new Command.SetLiveness(
        stored.getChangesList().stream().map(CommandCodec::judgement).toList(),
        stored.getNowMillis());
  }

  private static Command.Judgement judgement(LivenessChange stored) {
    NodeKey node =
        stored.getOsdId() != 0
            ? new NodeKey(NodeKey.Kind.OSD, stored.getOsdId())
            : new NodeKey(NodeKey.Kind.MANAGER, stored.getManagerId());
    return new Command.Judgement(
        node,
        stored.getIncarnation(),
        StoredValueCodec.liveness(stored.getLiveness()),
        stored.getStopped(),
        stored.getPartitionsVersion(),
        stored.getQuarantine(),
        new OpenVolumes(
            stored.getOpenQuarantine(), StoredValueCodec.volumes(stored.getOpenVolumesList())),
        stored.getStoreFailure());
  }

  private static Command acquire(AcquireVolumesCommand stored) {
    return new Command.Acquire(
        new ManagerId(stored.getManagerId()),
        stored.getIncarnation(),
        stored.getNonce(),
        stored.getNowMillis(),
        Optional.of(stored.getVolumeId()).filter(id -> id != 0).map(PartitionId::new));
  }

  private static Command formatted(VolumeFormattedCommand stored) {
    return new Command.Formatted(
        new ManagerId(stored.getManagerId()),
        new PartitionId(stored.getVolumeId()),
        stored.getEpoch());
  }
}
