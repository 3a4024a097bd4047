package org.weft.sysmgr.service;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeMove;
import org.weft.sysmgr.configuration.volume.VolumeStage;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.OsdLooks;

/**
 * Carries out a leader's part of moves of volumes (P 6.2). It records where the volumes of a
 * drained manager are to go, a few at a time, and gives up what does not come about. None goes to a
 * manager that does not reach OSDs: it would come back. All else is the primaries' work. What is to
 * be done is in the configuration alone, so the next leader goes on. Confined to the home executor.
 */
final class Moves {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);
  static final int MAX_AT_ONCE = 4;

  private static final Logger LOG = LoggerFactory.getLogger(Moves.class);

  /** A move under way, and since when this leader waits for it. */
  private record Watched(ManagerId target, long sinceNanos) {}

  private final OneProposal proposal;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Environment environment;
  private final Map<PartitionId, Watched> watched = new TreeMap<>();

  Moves(
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      Environment environment) {
    this.proposal = new OneProposal(proposals, "the move of a volume");
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.environment = environment;
  }

  /** This member leads no more. */
  void stepBack() {
    proposal.stepBack();
    watched.clear();
  }

  /** This member leads: proposes the next step, if there is one. */
  void tick() {
    if (proposal.isUnderWay()) {
      return;
    }
    Configuration state = configuration.current();
    watch(state);
    hopeless(state).or(() -> away(state)).ifPresent(this::propose);
  }

  private void watch(Configuration state) {
    PlacementOrders placement = state.history().placement();
    watched
        .entrySet()
        .removeIf(
            each ->
                placement
                    .underWay(each.getKey())
                    .filter(move -> move.target().equals(each.getValue().target()))
                    .isEmpty());
    long nowNanos = environment.ticker().nowNanos();
    placement
        .moves()
        .forEach(
            (volume, move) -> {
              if (move.underWay()) {
                watched.putIfAbsent(volume, new Watched(move.target(), nowNanos));
              }
            });
  }

  /** The end of a move that cannot come about. */
  private Optional<Command> hopeless(Configuration state) {
    PlacementOrders placement = state.history().placement();
    for (Map.Entry<PartitionId, Watched> each : watched.entrySet()) {
      ManagerId target = each.getValue().target();
      ManagerNode manager = state.managers().get(target);
      String why = "";
      List<OsdId> lacked = lacked(state, state.volumes().get(each.getKey()), target);
      if (manager == null || !placement.takesVolumes(manager)) {
        why = "manager-" + target + " is not up, or is drained";
      } else if (!lacked.isEmpty()) {
        why = doesNotReach(target, lacked);
      } else if (environment.ticker().nowNanos() - each.getValue().sinceNanos() >= PATIENCE_NANOS) {
        why =
            "the volume did not move within "
                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                + " s; see the log of its manager";
      }
      if (!why.isEmpty()) {
        return Optional.of(new Command.EndMove(each.getKey(), target, why));
      }
    }
    return Optional.empty();
  }

  /**
   * The next volume of a drained manager that is to move. The journal of one whose manager is not
   * up is there alone. Those that could not move go behind those that were not tried yet, and of
   * them the one first that was tried longest ago.
   */
  private Optional<Command> away(Configuration state) {
    PlacementOrders placement = state.history().placement();
    if (watched.size() >= MAX_AT_ONCE) {
      return Optional.empty();
    }
    return state.volumes().values().stream()
        .filter(volume -> volume.stage() == VolumeStage.ACTIVE && volume.formatted())
        .filter(volume -> volume.owner().filter(placement.draining()::contains).isPresent())
        .filter(volume -> placement.underWay(volume.id()).isEmpty())
        .filter(volume -> isOwnerUp(state, volume))
        .sorted(Comparator.comparingLong(volume -> lastTriedMillis(placement, volume)))
        .flatMap(volume -> target(state, volume).map(to -> away(volume, to)).stream())
        .findFirst();
  }

  private List<OsdId> lacked(Configuration state, Volume volume, ManagerId manager) {
    return volume == null
        ? List.of()
        : new OsdLooks(state, heartbeats, environment.ticker().nowNanos())
            .lackedAt(manager, volume);
  }

  /** Why a volume is not to move to that manager; a sentence without its end. */
  static String doesNotReach(ManagerId manager, List<OsdId> lacked) {
    return "manager-%s does not reach OSDs %s, and could not serve the volume"
        .formatted(manager, lacked);
  }

  private static boolean isOwnerUp(Configuration state, Volume volume) {
    return volume
        .owner()
        .map(state.managers()::get)
        .filter(owner -> owner.node().liveness() == Liveness.UP)
        .isPresent();
  }

  private static long lastTriedMillis(PlacementOrders placement, Volume volume) {
    VolumeMove before = placement.moves().get(volume.id());
    return before == null ? Long.MIN_VALUE : before.sinceMillis();
  }

  private Command away(Volume volume, ManagerId target) {
    return new Command.MoveVolume(volume.path(), target, environment.clock().nowMillis());
  }

  /** Its backup if that may serve it, else the manager that has the fewest volumes. */
  private Optional<ManagerId> target(Configuration state, Volume volume) {
    PlacementOrders placement = state.history().placement();
    Optional<ManagerId> refused =
        Optional.ofNullable(placement.moves().get(volume.id())).map(VolumeMove::target);
    return state.managers().values().stream()
        .filter(placement::takesVolumes)
        .map(ManagerNode::id)
        .filter(id -> lacked(state, volume, id).isEmpty())
        .min(
            Comparator.<ManagerId, Boolean>comparing(id -> refused.equals(Optional.of(id)))
                .thenComparing(id -> !volume.backup().manager().equals(Optional.of(id)))
                .thenComparing(id -> load(state, id))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Volumes that it has, and those that move there. */
  private static long load(Configuration state, ManagerId manager) {
    return state.volumes().values().stream()
        .filter(
            volume ->
                volume.owner().equals(Optional.of(manager))
                    || state
                        .history()
                        .placement()
                        .underWay(volume.id())
                        .filter(move -> move.target().equals(manager))
                        .isPresent())
        .count();
  }

  private void propose(Command command) {
    LOG.info("moves of volumes: {}", command);
    proposal.propose(command);
  }
}
