package org.weft.sysmgr.service;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.ManagerLeases;

/**
 * Gives a volume to its backup when the lease of its primary is over (P 6.2). From the moment that
 * this is proposed until its outcome is known the primary's lease is held ({@link
 * ManagerLeases#hold}), whatever is heard of it. Confined to the home executor.
 */
final class HandOvers {
  /** Clocks of two machines do not run alike. */
  static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A backup that was not heard for longer does not take over. */
  static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  private static final Logger LOG = LoggerFactory.getLogger(HandOvers.class);

  private final Proposals proposals;
  private final HeartbeatTable heartbeats;
  private final ManagerLeases leases;

  /** Proposed, and without an outcome. */
  private final Map<PartitionId, Command.HandOver> underWay = new TreeMap<>();

  private final Map<PartitionId, Command.HandOver> inDoubt = new TreeMap<>();
  private long term;

  HandOvers(Proposals proposals, HeartbeatTable heartbeats, ManagerLeases leases) {
    this.proposals = proposals;
    this.heartbeats = heartbeats;
    this.leases = leases;
  }

  /** This member leads from now on, or leads no more. */
  void forget() {
    term++;
    underWay.values().forEach(each -> leases.release(each.manager()));
    inDoubt.values().forEach(each -> leases.release(each.manager()));
    underWay.clear();
    inDoubt.clear();
  }

  /**
   * Proposes again what may or may not have been taken: until that is known no lease is renewed.
   */
  void repeat() {
    Map<PartitionId, Command.HandOver> again = new TreeMap<>(inDoubt);
    inDoubt.clear();
    again.values().forEach(this::propose);
  }

  /** Proposes what is due. To be called when no lease of an earlier leader is left. */
  void judge(Configuration state, long nowNanos) {
    for (Volume volume : state.volumes().values()) {
      boolean open = underWay.containsKey(volume.id()) || inDoubt.containsKey(volume.id());
      if (!open && isDue(state, volume, nowNanos)) {
        Command.HandOver command =
            new Command.HandOver(
                volume.id(),
                volume.epoch(),
                volume.owner().orElseThrow(),
                volume.backup().manager().orElseThrow());
        LOG.warn(
            "volume {} goes from manager-{} to manager-{}: the lease is over",
            volume.path(),
            command.manager(),
            command.backup());
        leases.hold(command.manager());
        propose(command);
      }
    }
  }

  private boolean isDue(Configuration state, Volume volume, long nowNanos) {
    if (volume.owner().isEmpty() || volume.backup().manager().isEmpty() || volume.epoch() == 0) {
      return false;
    }
    ManagerNode primary = state.managers().get(volume.owner().get());
    ManagerNode backup = state.managers().get(volume.backup().manager().get());
    if (primary == null || backup == null || backup.node().liveness() != Liveness.UP) {
      return false;
    }
    boolean silent =
        primary.node().stopped()
            || heartbeats.quietNanos(NodeKey.of(primary.id()), nowNanos)
                >= ManagerLeases.LEASE_NANOS + MARGIN_NANOS;
    return silent
        && leases.leftNanos(primary.id(), nowNanos) <= -MARGIN_NANOS
        && heartbeats.silentNanos(NodeKey.of(backup.id()), nowNanos).orElse(Long.MAX_VALUE)
            < FRESH_NANOS;
  }

  private void propose(Command.HandOver command) {
    underWay.put(command.volume(), command);
    long mine = term;
    var unused =
        proposals
            .propose(command)
            .whenComplete(
                (done, failure) -> {
                  if (mine != term) {
                    return;
                  }
                  underWay.remove(command.volume());
                  if (failure == null) {
                    leases.release(command.manager());
                  } else {
                    failed(command, WeftException.of(failure));
                  }
                });
  }

  /** What the log did not answer may be in it all the same. */
  private void failed(Command.HandOver command, WeftException why) {
    LOG.info("volume {} was not handed over: {}", command.volume(), why.getMessage());
    if (why.code().isSuperseded() || why.code() == ErrorCode.UNSUPPORTED) {
      leases.release(command.manager());
    } else {
      inDoubt.put(command.volume(), command);
    }
  }
}
