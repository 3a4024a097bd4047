package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.LookAtVolumeReply;
import org.weft.protocol.wire.LookAtVolumeRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.VolumeLook;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.ManagerLeases;

/**
 * LOOK_AT_VOLUME: hands out the keys of a volume that no manager serves, to look at what its OSDs
 * hold (P 6.8d). It records nothing and begins no epoch: the checker asks again, and is refused
 * once a manager has the volume. A majority confirms first that this member leads: the memory of
 * one that was frozen would say of each lease that it is over. Confined to the home executor.
 */
final class LookHandler {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeardNodes heard;
  private final ManagerLeases leases;
  private final Environment environment;

  LookHandler(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeardNodes heard,
      ManagerLeases leases,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heard = heard;
    this.leases = leases;
    this.environment = environment;
  }

  CompletionStage<? extends MessageLite> look(InboundRequest request) throws WeftException {
    LookAtVolumeRequest wanted = request.parse(LookAtVolumeRequest.parser());
    leadership.require();
    return proposals
        .barrier()
        .thenCompose(
            done -> {
              try {
                return CompletableFuture.completedFuture(reply(wanted));
              } catch (WeftException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  private LookAtVolumeReply reply(LookAtVolumeRequest wanted) throws WeftException {
    // Leases of the leader before are not known here.
    if (leadership.nanosUntilEpochs() > 0) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "this SysMgr member has led for less than a lease, and does not know which managers serve;"
              + " try again");
    }
    NodeKey manager = NodeKey.of(new ManagerId(wanted.getManagerId()));
    VolumeLook look =
        new VolumeLook(
            wanted.getPath(),
            wanted.getIdentity(),
            wanted.getManagerId(),
            wanted.getIncarnation(),
            new StartProof(0, wanted.getKnownStartsList(), 0, wanted.getChange()),
            heard.histories().of(manager),
            wanted.getEpoch());
    Configuration state = configuration.current();
    Volume volume = look.allowed(state);
    requireNotServed(volume);
    return LookAtVolumeReply.newBuilder()
        .setVolume(
            AcquiredVolume.newBuilder()
                .setVolume(WireCodec.volume(volume, state.cluster().orElseThrow().superuser()))
                .setKeys(WireCodec.partition(state.partitions().get(volume.id()))))
        .build();
  }

  private void requireNotServed(Volume volume) throws WeftException {
    Optional<ManagerId> owner = volume.owner();
    long leftNanos =
        owner
            .map(each -> leases.leftNanos(each, environment.ticker().nowNanos()))
            .orElse(Long.MIN_VALUE);
    if (leftNanos > 0) {
      throw new WeftException(
          ErrorCode.BUSY,
          String.format(
              Locale.ROOT,
              "manager-%s serves volume %s, or was heard a moment ago: its lease runs for %.1f s. Check the volume without --offline, or stop that manager first",
              owner.get(),
              volume.path(),
              leftNanos / (double) TimeUnit.SECONDS.toNanos(1)));
    }
  }
}
