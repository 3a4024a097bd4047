package org.weft.sysmgr.configuration.restore;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Backup;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Makes the configuration with which SysMgr begins again after all its disks were lost, from a copy
 * and from what OSDs know. Nothing that was said before the loss is believed any more. Every number
 * that only grows jumps past all that can have been given out. Every node is DOWN until it is
 * heard. So managers compare OSDs before these serve clients (P 5.8), and managers get new epochs
 * (P 6.2).
 */
public final class Restoration {
  /** Far more changes than there can have been after the copy was made. */
  private static final long VERSION_JUMP = 1L << 20;

  private static final long EPOCH_JUMP = 1_000;
  private static final long QUARANTINE_JUMP = 1_000;
  private static final int ID_JUMP = 100;

  /** Exports come and go oftener than nodes. */
  private static final int EXPORT_ID_JUMP = 1 << 20;

  /** What OSDs say is not signed: numbers that are further from the copy's are not believed. */
  private static final long MAX_GROWTH = 1L << 20;

  private Restoration() {}

  /**
   * What an OSD knows by itself.
   *
   * @param osd its number; 0 if it has none
   * @param fences of each partition that it holds the fence epoch
   */
  public record Witness(int osd, String identity, SortedMap<PartitionId, Long> fences) {
    public Witness {
      fences = new TreeMap<>(fences);
    }
  }

  /** What OSDs know that the copy does not: it is older than they are. One sentence each. */
  public static List<String> contradictions(Configuration copy, List<Witness> witnesses) {
    List<String> found = new ArrayList<>();
    for (Witness witness : witnesses) {
      if (witness.osd() != 0
          && !Optional.ofNullable(copy.osds().get(new OsdId(witness.osd())))
              .map(osd -> osd.node().identity())
              .equals(Optional.of(witness.identity()))) {
        found.add("osd-" + witness.osd() + " joined after the copy was made");
      }
      witness
          .fences()
          .forEach((id, fence) -> contradiction(copy, witness, id, fence).ifPresent(found::add));
    }
    return found;
  }

  private static Optional<String> contradiction(
      Configuration copy, Witness witness, PartitionId id, long fence) {
    Volume volume = copy.volumes().get(id);
    if (volume == null) {
      return id.value() > copy.history().lastVolumeId()
          ? Optional.of(
              "osd-" + witness.osd() + " has volume " + id + ", which was made after the copy")
          : Optional.empty();
    }
    return fence > volume.epoch()
        ? Optional.of(
            "osd-%d knows epoch %d of %s, the copy epoch %d"
                .formatted(witness.osd(), fence, volume.path(), volume.epoch()))
        : Optional.empty();
  }

  /** The configuration to begin with. */
  public static Configuration restored(
      Configuration copy, List<Witness> witnesses, long nowMillis) {
    SortedMap<OsdId, OsdNode> osds = new TreeMap<>();
    copy.osds()
        .forEach(
            (id, osd) ->
                osds.put(
                    id,
                    osd.with(osd.node().with(Liveness.DOWN, false, nowMillis))
                        .with(osd.quarantine().jumped(QUARANTINE_JUMP))
                        .with(Optional.empty())));
    SortedMap<ManagerId, ManagerNode> managers = new TreeMap<>();
    copy.managers()
        .forEach(
            (id, manager) ->
                managers.put(
                    id, manager.with(manager.node().with(Liveness.DOWN, false, nowMillis))));
    SortedMap<PartitionId, Volume> volumes = new TreeMap<>();
    SortedMap<PartitionId, Partition> partitions = new TreeMap<>(copy.partitions());
    copy.volumes()
        .forEach(
            (id, volume) -> {
              long known = highestFence(id, volume.epoch(), witnesses);
              long epoch = Math.min(known + EPOCH_JUMP, Lsn.MAX_EPOCH);
              // A backup may have been left behind since the copy was made: the primary alone
              // serves.
              volumes.put(id, volume.withEpoch(epoch).with(Backup.NONE));
              partitions.computeIfPresent(id, (key, partition) -> partition.fencedBy(epoch));
            });
    return new Configuration(
        copy.cluster(),
        copy.bladeSets(),
        osds,
        managers,
        volumes,
        partitions,
        copy.tableVersion() + VERSION_JUMP,
        copy.partitionsVersion() + VERSION_JUMP,
        highestOsd(copy.lastOsdId(), witnesses) + ID_JUMP,
        copy.lastManagerId() + ID_JUMP,
        copy.history()
            .issued(
                highestVolume(copy.history().lastVolumeId(), witnesses) + ID_JUMP,
                copy.history().lastOperation() + ID_JUMP)
            .with(
                copy.history()
                    .placement()
                    .atRest()
                    .withDrainsAt(copy.tableVersion() + VERSION_JUMP)),
        SysmgrMembers.NONE.using(copy.sysmgr().commandsUsed()),
        bounds(copy.histories()),
        copy.version() + VERSION_JUMP,
        copy.nfs().jumped(VERSION_JUMP, EXPORT_ID_JUMP));
  }

  /**
   * Nodes may have started since the copy was made, and have forgotten the starts before. What they
   * had then they have still.
   */
  private static SortedMap<NodeKey, NodeHistory> bounds(SortedMap<NodeKey, NodeHistory> copied) {
    SortedMap<NodeKey, NodeHistory> bounds = new TreeMap<>();
    copied.forEach((node, history) -> bounds.put(node, history.fromCopy()));
    return bounds;
  }

  private static long highestFence(PartitionId id, long copied, List<Witness> witnesses) {
    return highest(
        copied, witnesses.stream().mapToLong(each -> each.fences().getOrDefault(id, 0L)));
  }

  private static int highestOsd(int copied, List<Witness> witnesses) {
    return (int) highest(copied, witnesses.stream().mapToLong(Witness::osd));
  }

  private static long highestVolume(long copied, List<Witness> witnesses) {
    return highest(
        copied,
        witnesses.stream()
            .flatMap(each -> each.fences().keySet().stream())
            .mapToLong(PartitionId::value));
  }

  /**
   * A witness whose numbers could not have grown so far since the copy was made is not believed.
   */
  private static long highest(long copied, LongStream said) {
    return said.filter(each -> each - copied <= MAX_GROWTH).reduce(copied, Math::max);
  }
}
