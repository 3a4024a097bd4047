package org.weft.osd.membership;

import java.util.List;
import java.util.Optional;
import org.weft.osd.store.StoreHistory;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.StartProof;

/** What an OSD and SysMgr say to each other, as messages. */
final class SysmgrMessages {
  private static final int DEFAULT_HEARTBEAT_MILLIS = 1_000;
  private static final int MAX_HEARTBEAT_MILLIS = 60_000;

  private SysmgrMessages() {}

  /** The identity of this OSD, as SysMgr says. */
  record Admission(ClusterId cluster, OsdId osd, int heartbeatMillis) {}

  static JoinRequest join(
      StoreIdentity identity, MembershipOptions options, Optional<String> storeFailure) {
    JoinRequest.Builder request =
        JoinRequest.newBuilder()
            .setIdentity(identity.identity())
            .setClusterId(identity.cluster().map(ClusterId::value).orElse(""))
            .setNodeId(identity.osd().map(OsdId::value).orElse(0))
            .setHost(options.host())
            .setRack(options.rack())
            .setBladeSet(options.bladeSet())
            .setIncarnation(identity.incarnation())
            .setCapacityBytes(options.capacityBytes())
            .setUnclean(identity.uncleanReboot())
            .setStoreFailure(storeFailure.orElse(""))
            .setProof(proof(identity.history()));
    for (Endpoint address : options.addresses()) {
      request.addAddresses(address.toMessage());
    }
    return request.build();
  }

  private static StartProof proof(StoreHistory history) {
    return StartProof.newBuilder()
        .setStartId(history.startId())
        .addAllKnownStarts(history.knownStarts())
        .setCheckpoint(history.checkpoint())
        .setChange(history.change())
        .setTookOver(history.tookOver())
        .build();
  }

  static Admission admission(JoinReply reply) throws WeftException {
    if (reply.getNodeId() == 0) {
      throw new WeftException(
          ErrorCode.MALFORMED, "SysMgr let the OSD in without giving it a number");
    }
    int millis = reply.getHeartbeatMillis();
    boolean sensible = millis > 0 && millis <= MAX_HEARTBEAT_MILLIS;
    try {
      return new Admission(
          new ClusterId(reply.getClusterId()),
          new OsdId(reply.getNodeId()),
          sensible ? millis : DEFAULT_HEARTBEAT_MILLIS);
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.MALFORMED, "SysMgr sent a bad " + e.getMessage(), e);
    }
  }

  static List<Endpoint> endpoints(List<AddressMessage> messages) {
    return messages.stream().map(Endpoint::fromMessage).toList();
  }

  static HeartbeatRequest heartbeat(
      StoreIdentity identity,
      OsdReport report,
      long partitionsVersion,
      QuarantineKnown quarantine,
      Optional<String> storeFailure,
      boolean leaving) {
    StoreStatus status = report.status();
    return HeartbeatRequest.newBuilder()
        .setOsdId(identity.osd().map(OsdId::value).orElse(0))
        .setIncarnation(identity.incarnation())
        .setStartId(identity.history().startId())
        .setCapacityBytes(status.capacityBytes() - status.missingBytes())
        .setUsedBytes(status.usedBytes())
        .setReserveBytes(status.reserveBytes())
        .setObjects(status.objects())
        .setDurableCheckpoint(status.durableCheckpoint())
        .setLeaving(leaving)
        .addAllProblems(report.problems())
        .setPartitionsVersion(partitionsVersion)
        .setQuarantine(quarantine.number())
        .setQuarantined(quarantine.active())
        .addAllOpenVolumes(quarantine.open().stream().map(PartitionId::value).toList())
        .setDurability(report.durability().toString())
        .setStoreFailure(storeFailure.orElse(""))
        .build();
  }
}
