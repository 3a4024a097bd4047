package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.DrainManagerRequest;
import org.weft.protocol.wire.DrainOsdRequest;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.RemoveManagerRequest;
import org.weft.protocol.wire.RemoveOsdRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.VolumePaths;
import org.weft.sysmgr.liveness.ClearedOsds;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.OsdLooks;

/**
 * MOVE_VOLUME, DRAIN_MANAGER, REMOVE_MANAGER, DRAIN_OSD and REMOVE_OSD, which people ask for.
 * Answered when the wish is recorded; a repeat changes nothing.
 */
final class MoveHandlers {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;
  private final Administrators authority;

  MoveHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.environment = environment;
    this.authority = new Administrators(configuration);
  }

  CompletionStage<? extends MessageLite> move(InboundRequest request) throws WeftException {
    leadership.require();
    MoveVolumeRequest wanted = request.parse(MoveVolumeRequest.parser());
    authority.require("move volumes", wanted.getUser(), wanted.getGroupsList());
    requireReach(wanted.getPath(), manager(wanted.getManagerId()));
    return proposals.record(
        new Command.MoveVolume(
            wanted.getPath(), manager(wanted.getManagerId()), environment.clock().nowMillis()),
        wanted.getUser());
  }

  /** The volume would wait in its fence, and come back (P 6.2). */
  private void requireReach(String path, ManagerId target) throws WeftException {
    Configuration state = configuration.current();
    OsdLooks looks = new OsdLooks(state, heartbeats, environment.ticker().nowNanos());
    List<OsdId> lacked =
        VolumePaths.at(state.volumes(), path)
            .filter(volume -> !volume.owner().equals(Optional.of(target)))
            .map(volume -> looks.lackedAt(target, volume))
            .orElseGet(List::of);
    if (!lacked.isEmpty()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          Moves.doesNotReach(target, lacked)
              + "; mend the network between them, or name another manager");
    }
  }

  CompletionStage<? extends MessageLite> drain(InboundRequest request) throws WeftException {
    leadership.require();
    DrainManagerRequest wanted = request.parse(DrainManagerRequest.parser());
    authority.require("drain managers", wanted.getUser(), wanted.getGroupsList());
    return proposals.record(
        new Command.DrainManager(manager(wanted.getManagerId()), !wanted.getUndrain()),
        wanted.getUser());
  }

  CompletionStage<? extends MessageLite> removeManager(InboundRequest request)
      throws WeftException {
    leadership.require();
    RemoveManagerRequest wanted = request.parse(RemoveManagerRequest.parser());
    authority.require("remove managers", wanted.getUser(), wanted.getGroupsList());
    return proposals.record(
        new Command.RemoveManager(manager(wanted.getManagerId()), environment.clock().nowMillis()),
        wanted.getUser());
  }

  CompletionStage<? extends MessageLite> removeOsd(InboundRequest request) throws WeftException {
    leadership.require();
    RemoveOsdRequest wanted = request.parse(RemoveOsdRequest.parser());
    authority.require("remove OSDs", wanted.getUser(), wanted.getGroupsList());
    OsdId osd = osd(wanted.getOsdId());
    long cleared = new ClearedOsds(configuration.current(), heartbeats::report).clearedDrain(osd);
    return proposals.record(
        new Command.RemoveOsd(osd, wanted.getForce(), cleared), wanted.getUser());
  }

  CompletionStage<? extends MessageLite> drainOsd(InboundRequest request) throws WeftException {
    leadership.require();
    DrainOsdRequest wanted = request.parse(DrainOsdRequest.parser());
    authority.require("drain OSDs", wanted.getUser(), wanted.getGroupsList());
    return proposals.record(
        new Command.DrainOsd(osd(wanted.getOsdId()), !wanted.getUndrain()), wanted.getUser());
  }

  private static OsdId osd(int id) throws WeftException {
    if (id < 1) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "OSDs count from 1, got " + id);
    }
    return new OsdId(id);
  }

  private static ManagerId manager(int id) throws WeftException {
    if (id < 1) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "managers count from 1, got " + id);
    }
    return new ManagerId(id);
  }
}
