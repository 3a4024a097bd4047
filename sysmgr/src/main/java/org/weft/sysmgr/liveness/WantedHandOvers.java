package org.weft.sysmgr.liveness;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Volumes whose primary does not reach OSDs that their backup reaches, and that SysMgr does not
 * give up (P 6.2). The primary would keep them for ever, for SysMgr hears it: it is asked to hand
 * them over. Pure and single-threaded; times are nanoseconds of the leader's monotonic clock, or
 * lengths that managers have measured by theirs.
 *
 * <ul>
 *   <li>Both managers are asked which OSDs give them a sign of life as soon as the primary cannot
 *       use one. One of an older release does not say so, and nothing follows.
 *   <li>The primary has not reached an OSD of the volume's BladeSet for the time after which
 *       another one would be given up, and {@link UnusableOsds} does not give this one up.
 *   <li>The backup reaches that one, and lacks fewer OSDs of the BladeSet than the primary: two
 *       that are both cut off do not pass a volume to and fro.
 *   <li>Where the network changes all the time the volume goes again after a minute at the
 *       earliest; that doubles each time within an hour, up to ten minutes.
 * </ul>
 *
 * <p>What is known here is soft; a new leader begins with nothing but what managers say next.
 */
public final class WantedHandOvers {
  static final long LEAST_BETWEEN_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final long MOST_BETWEEN_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long CALM_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The words of a manager that was not heard for longer are of before. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /**
   * A volume that is to go to its backup.
   *
   * @param epoch of the row that was judged
   * @param why for people
   */
  public record Wanted(
      PartitionId volume,
      String path,
      long epoch,
      ManagerId primary,
      ManagerId backup,
      String why) {}

  /** When the volume was asked for last, in which epoch, and how often of late. */
  private record Asked(long epoch, int count, long sinceNanos) {
    long wantedNanos() {
      return Math.min(MOST_BETWEEN_NANOS, LEAST_BETWEEN_NANOS << Math.min(count - 1, Byte.SIZE));
    }
  }

  private final UnusableOsds unusable;
  private final SortedMap<PartitionId, Asked> asked = new TreeMap<>();
  private Set<ManagerId> looking = Set.of();
  private List<Wanted> wanted = List.of();

  /**
   * @param unusable says which OSDs are given up
   */
  public WantedHandOvers(UnusableOsds unusable) {
    this.unusable = unusable;
  }

  /** This member leads from now on, or leads no more. */
  public void begin() {
    asked.clear();
    rest();
  }

  /** Asks nothing of any manager until it judges again. */
  public void rest() {
    looking = Set.of();
    wanted = List.of();
  }

  /** The manager is to ask all OSDs for a sign of life. */
  public boolean isToLook(ManagerId manager) {
    return looking.contains(manager);
  }

  /** What this primary is to hand over now. */
  public List<Wanted> of(ManagerId primary) {
    return wanted.stream().filter(each -> each.primary().equals(primary)).toList();
  }

  /**
   * Looks at what managers have said.
   *
   * @return what was not asked for before
   */
  public List<Wanted> judge(Configuration configuration, HeartbeatTable heartbeats, long nowNanos) {
    looking = toLook(configuration, heartbeats);
    List<Wanted> now = new ArrayList<>();
    List<Wanted> fresh = new ArrayList<>();
    asked.keySet().retainAll(configuration.volumes().keySet());
    for (Volume volume : configuration.volumes().values()) {
      Optional<Wanted> one = wanted(configuration, heartbeats, volume, nowNanos);
      if (one.isEmpty()) {
        continue;
      }
      Asked before = asked.get(volume.id());
      boolean repeats = before != null && before.epoch() == volume.epoch();
      if (repeats || mayGo(before, nowNanos)) {
        now.add(one.get());
      }
      if (!repeats && mayGo(before, nowNanos)) {
        fresh.add(one.get());
        boolean calm = before == null || nowNanos - before.sinceNanos() > CALM_NANOS;
        int count = calm ? 1 : before.count() + 1;
        asked.put(volume.id(), new Asked(volume.epoch(), count, nowNanos));
      }
    }
    wanted = List.copyOf(now);
    return fresh;
  }

  private static boolean mayGo(Asked before, long nowNanos) {
    return before == null || nowNanos - before.sinceNanos() >= before.wantedNanos();
  }

  /** Primaries that cannot use an OSD, and their backups. */
  private static Set<ManagerId> toLook(Configuration configuration, HeartbeatTable heartbeats) {
    SortedSet<ManagerId> troubled = new TreeSet<>();
    for (ManagerNode manager : configuration.managers().values()) {
      boolean lacksOne =
          manager.node().liveness() == Liveness.UP
              && heartbeats
                  .report(NodeKey.of(manager.id()))
                  .filter(report -> lacksOne(configuration, report))
                  .isPresent();
      if (lacksOne) {
        troubled.add(manager.id());
      }
    }
    SortedSet<ManagerId> looking = new TreeSet<>();
    for (Volume volume : configuration.volumes().values()) {
      if (volume.owner().filter(troubled::contains).isPresent()) {
        looking.add(volume.owner().get());
        volume.backup().manager().ifPresent(looking::add);
      }
    }
    return looking;
  }

  private static boolean lacksOne(Configuration configuration, NodeReport report) {
    boolean waits =
        report.access().stream()
            .filter(word -> !word.usable())
            .map(word -> configuration.osds().get(word.osd()))
            .anyMatch(osd -> osd != null && osd.unusable().isEmpty());
    return waits || report.look().filter(look -> !look.unreached().isEmpty()).isPresent();
  }

  private Optional<Wanted> wanted(
      Configuration configuration, HeartbeatTable heartbeats, Volume volume, long nowNanos) {
    if (volume.owner().isEmpty()
        || volume.backup().manager().isEmpty()
        || volume.epoch() == 0
        || unusable.patienceNanos().isEmpty()) {
      return Optional.empty();
    }
    ManagerId primary = volume.owner().get();
    ManagerId backup = volume.backup().manager().get();
    Optional<OsdLook> here = look(configuration, heartbeats, primary, nowNanos);
    Optional<OsdLook> there = look(configuration, heartbeats, backup, nowNanos);
    if (here.isEmpty() || there.isEmpty()) {
      return Optional.empty();
    }
    List<OsdNode> heard =
        configuration.osds().values().stream()
            .filter(osd -> osd.bladeSet().equals(volume.bladeSet()) && isHeard(osd))
            .toList();
    long lackedHere = heard.stream().filter(here.get()::lacks).count();
    long lackedThere = heard.stream().filter(there.get()::lacks).count();
    long patienceNanos = unusable.patienceNanos().get();
    List<OsdId> reached =
        heard.stream()
            .filter(osd -> here.get().lacks(osd, patienceNanos) && !there.get().lacks(osd))
            .filter(osd -> unusable.refusal(configuration, heartbeats, primary, osd).isPresent())
            .map(OsdNode::id)
            .toList();
    if (reached.isEmpty() || lackedThere >= lackedHere) {
      return Optional.empty();
    }
    return Optional.of(
        new Wanted(
            volume.id(),
            volume.path(),
            volume.epoch(),
            primary,
            backup,
            "manager-%s has not reached OSDs %s for %d s, and manager-%s does"
                .formatted(
                    primary, reached, TimeUnit.NANOSECONDS.toSeconds(patienceNanos), backup)));
  }

  /** What the manager said just now of all OSDs; empty: nothing, or not of all yet. */
  private static Optional<OsdLook> look(
      Configuration configuration, HeartbeatTable heartbeats, ManagerId manager, long nowNanos) {
    ManagerNode node = configuration.managers().get(manager);
    NodeKey key = NodeKey.of(manager);
    boolean isFresh =
        node != null
            && node.node().liveness() == Liveness.UP
            && heartbeats.silentNanos(key, nowNanos).orElse(Long.MAX_VALUE) < FRESH_NANOS;
    return isFresh
        ? heartbeats.report(key).flatMap(NodeReport::look).filter(look -> !look.underWay())
        : Optional.empty();
  }

  /** Managers use it, as far as SysMgr is concerned. */
  private static boolean isHeard(OsdNode osd) {
    Liveness liveness = osd.node().liveness();
    return osd.unusable().isEmpty()
        && (liveness == Liveness.UP || liveness == Liveness.QUARANTINED);
  }
}
