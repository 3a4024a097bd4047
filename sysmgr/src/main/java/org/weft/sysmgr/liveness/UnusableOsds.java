package org.weft.sysmgr.liveness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.UnusableRule;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Decides about OSDs that SysMgr hears and managers cannot use (P 5.8). A volume would wait for
 * such an OSD for ever. Pure and single-threaded; times are nanoseconds of the leader's monotonic
 * clock, or lengths that managers have measured by theirs.
 *
 * <ul>
 *   <li>An OSD is given up when a manager could not use it for the time that is configured.
 *   <li>The word of a manager counts for nothing if it cannot use more than half of the OSDs which
 *       are heard. Half of all counts, and half of the OSD's BladeSet. Its own network is more
 *       likely at fault. OSDs that give it no sign of life count there, too, whether or not
 *       something waits for them. No OSD is given up before a manager has asked all of them.
 *   <li>A manager may have volumes in that BladeSet that all have backups which reach all of its
 *       OSDs. Its word is waited for, since these volumes go to their backups ({@link
 *       WantedHandOvers}). Where they have not gone by then, it counts.
 *   <li>{@link UnusableRule} says how many OSDs may be away.
 *   <li>The OSD is taken back when each manager that could not use it has been able to for a while.
 *       No other manager may say that it cannot. The while doubles each time within an hour. The
 *       word of a manager that is down, counts for nothing, or serves no volume of the OSD's
 *       BladeSet is not waited for. But at least one manager must have been able to use the OSD.
 *   <li>Where the BladeSet has no volume any more, no manager tries the OSD: it is taken back after
 *       that while.
 * </ul>
 *
 * <p>What is known here is soft; a new leader begins with nothing but what managers say next.
 */
public final class UnusableOsds {
  static final long RETURN_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final long MAX_RETURN_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Without jitter: the leader alone measures it. */
  private static final Backoff RETURNS = Backoff.exact(RETURN_NANOS, MAX_RETURN_NANOS);

  /** For so long a volume is to go to its backup before an OSD is given up for its primary. */
  static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long CALM_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MAX_WHY_LENGTH = 400;

  /**
   * What a manager says of an OSD that it cannot use.
   *
   * @param refusal why the OSD is not given up; empty if it will be when this has lasted longer
   */
  public record Complaint(ManagerId manager, OsdAccess access, Optional<String> refusal) {}

  /** How often an OSD has been taken back of late, and when last. */
  private record Returns(int count, long lastNanos) {
    long wantedNanos(long nowNanos) {
      return nowNanos - lastNanos > CALM_NANOS ? RETURN_NANOS : RETURNS.exactNanos(count + 1);
    }
  }

  /** What a manager that is up has said last. */
  private record Said(List<OsdAccess> access, Optional<OsdLook> look) {
    boolean cannotUse(OsdNode osd) {
      return access.stream().anyMatch(each -> isAbout(each, osd) && !each.usable())
          || look.filter(asked -> asked.lacks(osd)).isPresent();
    }

    boolean looks() {
      return look.filter(OsdLook::underWay).isPresent();
    }
  }

  private final Optional<Long> patienceNanos;
  private final SortedMap<OsdId, Returns> returns = new TreeMap<>();

  /** OSDs that are given up and that no volume has a use for: since when. */
  private final SortedMap<OsdId, Long> untriedNanos = new TreeMap<>();

  /**
   * @param patienceNanos for how long a manager must have been unable to use an OSD; empty: none is
   *     given up so
   */
  public UnusableOsds(Optional<Long> patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /** This member leads from now on. */
  public void begin() {
    returns.clear();
    untriedNanos.clear();
  }

  /** What is to be proposed now: one OSD at most, for each changes how many others may follow. */
  public Optional<Command> judge(
      Configuration configuration, HeartbeatTable heartbeats, long nowNanos, long nowMillis) {
    SortedMap<ManagerId, Said> said = said(configuration, heartbeats);
    OsdLooks looks = new OsdLooks(configuration, heartbeats, nowNanos);
    untriedNanos.keySet().removeIf(osd -> !isUntried(configuration, osd));
    SortedMap<String, SortedMap<ManagerId, Said>> countedOf = new TreeMap<>();
    for (OsdNode osd : configuration.osds().values()) {
      SortedMap<ManagerId, Said> counted =
          countedOf.computeIfAbsent(osd.bladeSet(), set -> counted(configuration, said, set));
      SortedSet<ManagerId> atFault = new TreeSet<>(said.keySet());
      atFault.removeAll(counted.keySet());
      Optional<Command> next =
          osd.unusable().isPresent()
              ? takeBack(configuration, osd, counted, atFault, nowNanos)
              : giveUp(looks, osd, counted, nowMillis);
      if (next.isPresent()) {
        return next;
      }
    }
    return Optional.empty();
  }

  /** Without those whose word on OSDs of that BladeSet counts for nothing. */
  private static SortedMap<ManagerId, Said> counted(
      Configuration configuration, SortedMap<ManagerId, Said> said, String bladeSet) {
    SortedMap<ManagerId, Said> counted = new TreeMap<>(said);
    counted.values().removeIf(words -> isAtFault(configuration, words, bladeSet));
    return counted;
  }

  /** The command was carried out. */
  public void carriedOut(Command command, long nowNanos) {
    if (command instanceof Command.SetUsable usable) {
      Returns before = returns.get(usable.osd());
      boolean calm = before == null || nowNanos - before.lastNanos() > CALM_NANOS;
      returns.put(usable.osd(), new Returns(calm ? 1 : before.count() + 1, nowNanos));
    }
  }

  /** What managers say of OSDs that are not given up, and why these are not; to show. */
  public List<Complaint> complaints(Configuration configuration, HeartbeatTable heartbeats) {
    List<Complaint> complaints = new ArrayList<>();
    SortedMap<ManagerId, Said> said = said(configuration, heartbeats);
    said.forEach(
        (manager, words) -> {
          for (OsdAccess access : words.access()) {
            OsdNode osd = configuration.osds().get(access.osd());
            if (isAbout(access, osd) && !access.usable() && osd.unusable().isEmpty()) {
              complaints.add(new Complaint(manager, access, refusal(configuration, osd, words)));
            }
          }
        });
    return complaints;
  }

  /** For how long a manager must have been unable to use an OSD; empty: none is given up so. */
  Optional<Long> patienceNanos() {
    return patienceNanos;
  }

  /** Why the OSD is not given up for this manager's sake, however long it waits; empty if it is. */
  Optional<String> refusal(
      Configuration configuration, HeartbeatTable heartbeats, ManagerId manager, OsdNode osd) {
    Said words = said(configuration, heartbeats).get(manager);
    return words == null
        ? Optional.of("manager-" + manager + " is not up")
        : refusal(configuration, osd, words);
  }

  /** The manager lacks these OSDs, and all of them may be given up for its sake. */
  boolean mayGiveUp(
      Configuration configuration,
      HeartbeatTable heartbeats,
      ManagerId manager,
      List<OsdNode> osds) {
    Configuration left = configuration;
    for (OsdNode osd : osds) {
      if (refusal(left, heartbeats, manager, osd).isPresent()) {
        return false;
      }
      SortedSet<ManagerId> managers = new TreeSet<>(List.of(manager));
      Command.SetUnusable next =
          new Command.SetUnusable(osd.id(), osd.node().incarnation(), managers, "", 0);
      left = new ConfigurationMachine(left).decide(next).next();
    }
    return true;
  }

  private Optional<String> refusal(Configuration configuration, OsdNode osd, Said words) {
    if (patienceNanos.isEmpty()) {
      return Optional.of("SysMgr is configured to give up no OSD for that");
    }
    if (isAtFault(configuration, words, osd.bladeSet())) {
      return Optional.of(
          "the manager cannot use most of the OSDs that SysMgr hears: its own network is more"
              + " likely at fault");
    }
    return UnusableRule.refusal(configuration, osd);
  }

  private Optional<Command> giveUp(
      OsdLooks looks, OsdNode osd, SortedMap<ManagerId, Said> counted, long nowMillis) {
    Configuration configuration = looks.configuration();
    SortedSet<ManagerId> managers = new TreeSet<>();
    List<String> why = new ArrayList<>();
    long longestNanos = -1;
    for (ManagerId manager : counted.keySet()) {
      if (counted.get(manager).looks()) {
        continue;
      }
      for (OsdAccess access : counted.get(manager).access()) {
        if (isAbout(access, osd) && !access.usable()) {
          managers.add(manager);
          why.add("manager " + manager + ": " + access.problem());
          long waitsNanos = leavesItsVolumes(looks, manager, osd) ? HAND_OVER_NANOS : 0;
          longestNanos = Math.max(longestNanos, access.lastedNanos() - waitsNanos);
        }
      }
    }
    boolean isDue =
        !managers.isEmpty()
            && patienceNanos.isPresent()
            && longestNanos >= patienceNanos.get()
            && UnusableRule.refusal(configuration, osd).isEmpty();
    return isDue
        ? Optional.of(
            new Command.SetUnusable(
                osd.id(), osd.node().incarnation(), managers, sentence(why), nowMillis))
        : Optional.empty();
  }

  /** All its volumes there are about to go to backups that reach all OSDs. */
  private static boolean leavesItsVolumes(OsdLooks looks, ManagerId manager, OsdNode osd) {
    List<Volume> volumes =
        looks.configuration().volumes().values().stream()
            .filter(volume -> volume.bladeSet().equals(osd.bladeSet()))
            .filter(volume -> volume.owner().equals(Optional.of(manager)))
            .toList();
    return looks.of(manager).filter(look -> look.lacks(osd)).isPresent()
        && !volumes.isEmpty()
        && volumes.stream()
            .allMatch(
                volume ->
                    volume
                        .backup()
                        .manager()
                        .filter(backup -> looks.reachesAll(backup, osd.bladeSet()))
                        .isPresent());
  }

  private static String sentence(List<String> why) {
    String all = String.join("; ", why);
    return all.length() <= MAX_WHY_LENGTH ? all : all.substring(0, MAX_WHY_LENGTH) + "...";
  }

  private Optional<Command> takeBack(
      Configuration configuration,
      OsdNode osd,
      SortedMap<ManagerId, Said> counted,
      SortedSet<ManagerId> atFault,
      long nowNanos) {
    if (osd.node().liveness() != Liveness.DOWN) {
      return Optional.empty();
    }
    Returns before = returns.getOrDefault(osd.id(), new Returns(0, nowNanos));
    long wantedNanos = before.wantedNanos(nowNanos);
    if (isUntried(configuration, osd.id())) {
      long sinceNanos = untriedNanos.computeIfAbsent(osd.id(), first -> nowNanos);
      return nowNanos - sinceNanos >= wantedNanos
          ? Optional.of(new Command.SetUsable(osd.id(), osd.node().incarnation()))
          : Optional.empty();
    }
    SortedSet<ManagerId> able = new TreeSet<>();
    for (ManagerId manager : counted.keySet()) {
      for (OsdAccess access : counted.get(manager).access()) {
        if (!isAbout(access, osd)) {
          continue;
        }
        if (!access.usable()) {
          return Optional.empty();
        }
        if (access.lastedNanos() >= wantedNanos) {
          able.add(manager);
        }
      }
    }
    SortedSet<ManagerId> awaited = new TreeSet<>(osd.unusable().orElseThrow().managers());
    awaited.removeAll(able);
    awaited.removeIf(
        manager ->
            isDown(configuration, manager)
                || atFault.contains(manager)
                || !servesAny(configuration, manager, osd.bladeSet()));
    return able.isEmpty() || !awaited.isEmpty()
        ? Optional.empty()
        : Optional.of(new Command.SetUsable(osd.id(), osd.node().incarnation()));
  }

  /** It is given up, and no volume has files there: no manager finds out whether it can be used. */
  private static boolean isUntried(Configuration configuration, OsdId id) {
    OsdNode osd = configuration.osds().get(id);
    return osd != null
        && osd.unusable().isPresent()
        && configuration.volumes().values().stream()
            .noneMatch(volume -> volume.bladeSet().equals(osd.bladeSet()));
  }

  private static boolean servesAny(
      Configuration configuration, ManagerId manager, String bladeSet) {
    return configuration.volumes().values().stream()
        .anyMatch(
            volume ->
                volume.bladeSet().equals(bladeSet) && volume.owner().equals(Optional.of(manager)));
  }

  private static boolean isAbout(OsdAccess access, OsdNode osd) {
    return osd != null
        && access.osd().equals(osd.id())
        && access.incarnation() == osd.node().incarnation();
  }

  private static boolean isDown(Configuration configuration, ManagerId manager) {
    ManagerNode node = configuration.managers().get(manager);
    return node == null || node.node().liveness() == Liveness.DOWN;
  }

  /** What managers that are up have said last. */
  private static SortedMap<ManagerId, Said> said(
      Configuration configuration, HeartbeatTable heartbeats) {
    SortedMap<ManagerId, Said> said = new TreeMap<>();
    for (ManagerNode manager : configuration.managers().values()) {
      if (manager.node().liveness() == Liveness.UP) {
        heartbeats
            .report(NodeKey.of(manager.id()))
            .ifPresent(report -> said.put(manager.id(), new Said(report.access(), report.look())));
      }
    }
    return said;
  }

  private static boolean isAtFault(Configuration configuration, Said words, String bladeSet) {
    return lacksMost(words, configuration.osds().values())
        || lacksMost(
            words,
            configuration.osds().values().stream()
                .filter(osd -> osd.bladeSet().equals(bladeSet))
                .toList());
  }

  private static boolean lacksMost(Said words, Collection<OsdNode> osds) {
    int heard = 0;
    int unusable = 0;
    for (OsdNode osd : osds) {
      if (osd.node().liveness() == Liveness.DOWN && osd.unusable().isEmpty()) {
        continue;
      }
      heard++;
      if (words.cannotUse(osd)) {
        unusable++;
      }
    }
    return 2 * unusable > heard;
  }
}
