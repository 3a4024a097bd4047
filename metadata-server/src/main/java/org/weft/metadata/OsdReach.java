package org.weft.metadata;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdConnections;
import org.weft.metadata.access.OsdWaits;
import org.weft.metadata.access.ReachedOsds;
import org.weft.metadata.access.VolumeWaits;
import org.weft.metadata.backup.KnownManagers;
import org.weft.metadata.serving.VolumeHost;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.WantedHandOver;

/**
 * Reports in heartbeats which OSDs this manager can use and reaches (P 5.8), and handles SysMgr's
 * answers. SysMgr has a volume handed over whose backup reaches more OSDs (P 6.2). Confined to the
 * daemon's home executor.
 */
final class OsdReach {
  private static final Logger LOG = LoggerFactory.getLogger(OsdReach.class);

  private final Environment environment;
  private final Executor home;
  private final Map<Long, VolumeHost> hosts;
  private final OsdWaits waits = new OsdWaits();
  private ClusterView view;
  private OsdConnections connections;
  private ReachedOsds reached;
  private boolean asked;
  private volatile Set<Integer> cutOff = Set.of();

  /**
   * @param hosts the volumes of this manager
   */
  OsdReach(Environment environment, Executor home, Map<Long, VolumeHost> hosts) {
    this.environment = environment;
    this.home = home;
    this.hosts = hosts;
  }

  /** The cluster is known by now. */
  void begin(ClusterView opened, OsdConnections opening) {
    view = opened;
    connections = opening;
    OsdClient osds = new OsdClient(connections, home);
    reached = new ReachedOsds(osds::isAlive, environment, home);
  }

  /** Where a volume says what it waits for. */
  VolumeWaits open(PartitionId volume) {
    return waits.open(volume);
  }

  /** What is known of the other managers. */
  KnownManagers managers() {
    return new KnownManagers(view::table, () -> cutOff);
  }

  /** A heartbeat is about to be sent. */
  void addTo(HeartbeatRequest.Builder report) {
    if (view == null) {
      return;
    }
    ClusterTable table = view.table();
    waits.tick(environment.ticker().nowNanos(), table);
    report.addAllOsdAccess(waits.words());
    reached.tick();
    if (asked || waits.isTroubled() || reached.lacksAny() || isInDoubt(table)) {
      reached.look(table);
    }
    reached.words().ifPresent(report::setOsdLook);
  }

  /** A connection is dead. A read waits for no particular OSD, only for any OSD that answers. */
  private boolean isInDoubt(ClusterTable table) {
    return table.getOsdsList().stream()
        .filter(ReachedOsds::isUp)
        .anyMatch(row -> connections.isInDoubt(new OsdId(row.getOsdId())));
  }

  /** SysMgr has answered a heartbeat. */
  void heard(HeartbeatReply reply) {
    asked = reply.getLookAtOsds();
    cutOff = Set.copyOf(reply.getCutOffManagersList());
    for (WantedHandOver wanted : reply.getHandOversList()) {
      VolumeHost host = hosts.get(wanted.getVolumeId());
      if (host != null && host.epoch() == wanted.getEpoch()) {
        LOG.info("volume {} is to be handed over: {}", wanted.getVolumeId(), wanted.getWhy());
        host.handOverTo(wanted.getBackupId());
      }
    }
  }
}
