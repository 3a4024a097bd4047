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
import org.weft.protocol.retry.Backoff;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Finds volumes whose primary does not reach OSDs that their backup reaches, and that SysMgr does
 * not give up (P 6.2). The primary would keep them for ever, for SysMgr hears it: it is asked to
 * hand them over. Pure and single-threaded; times are nanoseconds of the leader's monotonic clock,
 * or lengths that managers have measured by theirs.
 *
 * <ul>
 *   <li>Both managers are asked which OSDs give them a sign of life as soon as the primary cannot
 *       use one. One of an older release does not say so, and nothing follows.
 *   <li>The primary has not reached an OSD of the volume's BladeSet for the time after which
 *       another one would be given up. The backup reaches all of them. Then no OSD is given up for
 *       the primary's sake ({@link UnusableOsds}).
 *   <li>Or the backup lacks others, but fewer, and the primary's are not given up. A volume that is
 *       served goes there only if all OSDs that the backup lacks may be given up. A promoted
 *       manager serves nothing before it has fenced every OSD. One that waits in its own fence goes
 *       in any case.
 *   <li>A primary that has lost its backup, while both are heard, hands over at once ({@link
 *       Partings}).
 *   <li>Where the network changes all the time, the volume goes again after a minute at the
 *       earliest. That time doubles each time within an hour, up to ten minutes. Volumes that have
 *       gone count, and one that waits in its fence after the first time goes back at once.
 * </ul>
 *
 * <p>What is known here is soft; a new leader begins with nothing but what managers say next.
 */
public final class WantedHandOvers {
  static final long MIN_BETWEEN_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final long MAX_BETWEEN_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Without jitter: the leader alone measures it. */
  private static final Backoff BETWEEN = Backoff.exact(MIN_BETWEEN_NANOS, MAX_BETWEEN_NANOS);

  private static final long CALM_NANOS = TimeUnit.HOURS.toNanos(1);

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

  /** How often the volume has gone of late, and when last. */
  private record Gone(int count, long sinceNanos) {
    long wantedNanos() {
      return BETWEEN.exactNanos(count);
    }
  }

  private final UnusableOsds unusable;
  private final Partings partings = new Partings();

  /** What was asked for last, of rows that have not changed since. */
  private final SortedMap<PartitionId, Wanted> asked = new TreeMap<>();

  private final SortedMap<PartitionId, Gone> gone = new TreeMap<>();
  private Set<ManagerId> looking = Set.of();
  private List<Wanted> wanted = List.of();
  private SortedSet<ManagerId> cutOff = new TreeSet<>();

  /**
   * @param unusable says which OSDs are given up
   */
  public WantedHandOvers(UnusableOsds unusable) {
    this.unusable = unusable;
  }

  /** This member leads from now on, or leads no more. */
  public void begin() {
    asked.clear();
    gone.clear();
    partings.forget();
    rest();
  }

  /** Asks nothing of any manager until it judges again. */
  public void rest() {
    looking = Set.of();
    wanted = List.of();
    cutOff = new TreeSet<>();
  }

  /** The manager is to ask all OSDs for a sign of life. */
  public boolean isToLook(ManagerId manager) {
    return looking.contains(manager);
  }

  /** Managers that do not reach an OSD: they are to be backups only where no other can. */
  public SortedSet<ManagerId> cutOff() {
    return cutOff;
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
    OsdLooks looks = new OsdLooks(configuration, heartbeats, nowNanos);
    partings.look(configuration);
    count(configuration, nowNanos);
    looking = toLook(configuration, heartbeats);
    cutOff = looks.cutOff();
    List<Wanted> now = new ArrayList<>();
    List<Wanted> fresh = new ArrayList<>();
    for (Volume volume : configuration.volumes().values()) {
      Optional<Wanted> one = wanted(looks, volume);
      boolean repeats = asked.containsKey(volume.id());
      if (one.isPresent() && (repeats || mayGo(looks, volume))) {
        now.add(one.get());
        if (!repeats) {
          fresh.add(one.get());
          asked.put(volume.id(), one.get());
        }
      }
    }
    wanted = List.copyOf(now);
    return fresh;
  }

  /**
   * A primary asks that its volume's row names no backup, since it does not reach the one that it
   * has.
   *
   * @return why that is not to be granted yet; empty: it is
   */
  public Optional<String> part(
      Configuration configuration, HeartbeatTable heartbeats, Volume volume, long nowNanos) {
    OsdLooks looks = new OsdLooks(configuration, heartbeats, nowNanos);
    if (volume.backup().manager().isEmpty() || unusable.patienceNanos().isEmpty()) {
      return Optional.empty();
    }
    partings.begin(volume, nowNanos);
    ManagerId backup = volume.backup().manager().get();
    return switch (verdict(looks, volume)) {
      case LEAVE -> Optional.empty();
      case WAIT ->
          Optional.of(
              "manager-%s is heard: it and the primary look which OSDs they reach"
                  .formatted(backup));
      case HAND_OVER ->
          Optional.of(
              "the volume is to go to manager-%s, which reaches OSDs that the primary does not reach"
                  .formatted(backup));
    };
  }

  private Partings.Verdict verdict(OsdLooks looks, Volume volume) {
    Partings.Verdict verdict =
        partings.verdict(volume, looks, (here, there) -> isFit(looks, volume, here, there, 0));
    boolean may = asked.containsKey(volume.id()) || mayGo(looks, volume);
    return verdict == Partings.Verdict.HAND_OVER && !may ? Partings.Verdict.LEAVE : verdict;
  }

  /** Counts volumes that have gone as they were asked for. */
  private void count(Configuration configuration, long nowNanos) {
    asked
        .values()
        .removeIf(
            each -> {
              Volume volume = configuration.volumes().get(each.volume());
              if (volume != null && volume.isServedBy(each.backup(), each.epoch() + 1)) {
                Gone before = gone.get(each.volume());
                boolean calm = before == null || nowNanos - before.sinceNanos() > CALM_NANOS;
                gone.put(each.volume(), new Gone(calm ? 1 : before.count() + 1, nowNanos));
              }
              return volume == null
                  || !volume.isServedBy(each.primary(), each.epoch())
                  || !volume.backup().manager().equals(Optional.of(each.backup()));
            });
    gone.keySet().retainAll(configuration.volumes().keySet());
  }

  private boolean mayGo(OsdLooks looks, Volume volume) {
    Gone before = gone.get(volume.id());
    return before == null
        || looks.nowNanos() - before.sinceNanos() >= before.wantedNanos()
        || before.count() == 1 && !isServed(looks, volume);
  }

  /** The primary says that it serves the volume, or says nothing of it. */
  private static boolean isServed(OsdLooks looks, Volume volume) {
    return volume
        .owner()
        .flatMap(primary -> looks.heartbeats().report(NodeKey.of(primary)))
        .flatMap(report -> report.of(volume))
        .map(VolumeReport::isServing)
        .orElse(true);
  }

  /** Primaries that cannot use an OSD, and their backups. */
  private Set<ManagerId> toLook(Configuration configuration, HeartbeatTable heartbeats) {
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
      if (volume.owner().filter(troubled::contains).isPresent() || partings.isParting(volume)) {
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

  private Optional<Wanted> wanted(OsdLooks looks, Volume volume) {
    if (volume.owner().isEmpty()
        || volume.backup().manager().isEmpty()
        || volume.epoch() == 0
        || unusable.patienceNanos().isEmpty()) {
      return Optional.empty();
    }
    ManagerId primary = volume.owner().get();
    ManagerId backup = volume.backup().manager().get();
    Optional<OsdLook> here = looks.of(primary);
    Optional<OsdLook> there = looks.of(backup);
    if (here.isEmpty() || there.isEmpty()) {
      return Optional.empty();
    }
    if (verdict(looks, volume) == Partings.Verdict.HAND_OVER) {
      List<OsdId> reached = reached(looks, volume, here.get(), there.get(), 0);
      return Optional.of(
          wanted(
              volume,
              "manager-%s reaches neither its backup nor OSDs %s, and manager-%s does"
                  .formatted(primary, reached, backup)));
    }
    long patienceNanos = unusable.patienceNanos().get();
    if (!isFit(looks, volume, here.get(), there.get(), patienceNanos)) {
      return Optional.empty();
    }
    return Optional.of(
        wanted(
            volume,
            "manager-%s has not reached OSDs %s for %d s, and manager-%s does"
                .formatted(
                    primary,
                    reached(looks, volume, here.get(), there.get(), patienceNanos),
                    TimeUnit.NANOSECONDS.toSeconds(patienceNanos),
                    backup)));
  }

  private static Wanted wanted(Volume volume, String why) {
    return new Wanted(
        volume.id(),
        volume.path(),
        volume.epoch(),
        volume.owner().orElseThrow(),
        volume.backup().manager().orElseThrow(),
        why);
  }

  /** OSDs that the primary has lacked for so long, and that the backup reaches. */
  private static List<OsdId> reached(
      OsdLooks looks, Volume volume, OsdLook here, OsdLook there, long nanos) {
    return looks.heard(volume.bladeSet()).stream()
        .filter(osd -> here.lacks(osd, nanos) && !there.lacks(osd))
        .map(OsdNode::id)
        .toList();
  }

  /** The backup can serve more than the primary, which has lacked OSDs for so long. */
  private boolean isFit(OsdLooks looks, Volume volume, OsdLook here, OsdLook there, long nanos) {
    List<OsdId> reached = reached(looks, volume, here, there, nanos);
    List<OsdNode> heard = looks.heard(volume.bladeSet());
    List<OsdNode> lackedThere = heard.stream().filter(there::lacks).toList();
    if (reached.isEmpty() || lackedThere.isEmpty()) {
      return !reached.isEmpty();
    }
    Configuration configuration = looks.configuration();
    ManagerId primary = volume.owner().orElseThrow();
    ManagerId backup = volume.backup().manager().orElseThrow();
    boolean keeps =
        reached.stream()
            .map(configuration.osds()::get)
            .anyMatch(
                osd ->
                    unusable.refusal(configuration, looks.heartbeats(), primary, osd).isPresent());
    return keeps
        && lackedThere.size() < heard.stream().filter(here::lacks).count()
        && (!isServed(looks, volume)
            || unusable.mayGiveUp(configuration, looks.heartbeats(), backup, lackedThere));
  }
}
