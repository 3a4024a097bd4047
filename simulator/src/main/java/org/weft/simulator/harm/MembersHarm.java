package org.weft.simulator.harm;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.world.World;
import org.weft.testkit.raft.RaftWatch;

/**
 * Harm to the members of SysMgr. It strikes the leader at a step of an operation of several steps
 * (P 6.2, 6.2a), a member's disk, or the links between members. Operators begin what takes several
 * steps.
 */
final class MembersHarm {
  private static final int MIN_MILLIS = 100;
  private static final int MAX_SHORT_MILLIS = 3_000;
  private static final int MAX_LONG_MILLIS = 12_000;
  private static final int MAX_STEPS = 7;
  private static final int MAX_BEFORE_ELECTION_MILLIS = 300;
  private static final int AGAIN_OUT_OF = 3;

  private final World world;
  private final ClientWorkload workload;
  private final Outages outages;
  private final RareHarm rare;
  private final RandomGenerator random;

  MembersHarm(
      World world,
      ClientWorkload workload,
      Outages outages,
      RareHarm rare,
      RandomGenerator random) {
    this.rare = rare;
    this.world = world;
    this.workload = workload;
    this.outages = outages;
    this.random = random;
  }

  /** False if it is not possible now. */
  boolean strike(FaultKind kind) {
    return switch (kind) {
      case HARM_LEADER_IN_OPERATION -> inOperation();
      case CUT_OFF_LEADER -> leader().map(this::cutOff).orElse(false);
      case REPLACE_SYSMGR -> world.memberReplacements().replace(one());
      case LOSE_SYSMGR_DISK -> loseDisk();
      case LOSE_DISK_BESIDE_LAGGING_MEMBER -> loseDiskBesideLagging();
      case NEW_LEADER_BESIDE_NEW_PROCESS -> newLeaderBesideNewProcess();
      case NEW_LEADER_BESIDE_QUIET_PRIMARY -> newLeaderBesideQuietPrimary();
      default -> throw new IllegalArgumentException(kind + " is not of SysMgr's members");
    };
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private long lasting() {
    int most = random.nextInt(3) == 0 ? MAX_LONG_MILLIS : MAX_SHORT_MILLIS;
    return nanos(MIN_MILLIS + random.nextInt(most));
  }

  private SysmgrNode one() {
    return world.sysmgrs().get(random.nextInt(world.sysmgrs().size()));
  }

  private Optional<SysmgrNode> leader() {
    return world.sysmgrs().stream()
        .filter(member -> member.isRunning() && !member.isPaused() && member.isLeader())
        .findFirst();
  }

  private boolean loseDisk() {
    SysmgrNode member = one();
    boolean lost = world.memberReplacements().loseDisk(member);
    if (lost) {
      outages.note(member.name() + " has lost its disk");
    }
    return lost;
  }

  /**
   * A member lags behind, and the one that has all that the leader has loses its disk; the leader
   * dies in the same moment. What was acknowledged is on the leader's disk alone.
   */
  private boolean loseDiskBesideLagging() {
    Optional<SysmgrNode> leader = leader();
    if (leader.isEmpty() || !world.memberReplacements().isOver()) {
      return false;
    }
    List<SysmgrNode> others =
        world.sysmgrs().stream().filter(each -> !each.equals(leader.get())).toList();
    int first = random.nextInt(others.size());
    SysmgrNode lagging = others.get(first);
    SysmgrNode victim = others.get((first + 1) % others.size());
    outages.note(lagging.name() + " lags behind");
    world.network().separate(lagging.name(), leader.get().name());
    world.network().separate(lagging.name(), victim.name());
    world.whenSysmgrSteps(
        RaftWatch.Step.APPLIED,
        1 + random.nextInt(2),
        () -> outages.afterwards(0, () -> loseBoth(leader.get(), victim)));
    outages.afterwards(nanos(MAX_SHORT_MILLIS), () -> healed(lagging));
    return true;
  }

  private void loseBoth(SysmgrNode leader, SysmgrNode victim) {
    if (world.memberReplacements().loseDisk(victim)) {
      outages.note(victim.name() + " has lost its disk, " + leader.name() + " is killed");
      leader.kill();
      outages.afterwards(nanos(MAX_SHORT_MILLIS + random.nextInt(MAX_LONG_MILLIS)), leader::start);
    }
  }

  private void healed(SysmgrNode member) {
    world.network().healBut((from, to) -> !from.equals(member.name()) && !to.equals(member.name()));
  }

  /**
   * Another machine goes on with a manager's disk while the old process may still answer. SysMgr
   * has a leader that does not know the manager's lease.
   */
  private boolean newLeaderBesideNewProcess() {
    List<SimulatedManager> managers = world.managers();
    boolean replaced = rare.replaceMachine(managers.get(random.nextInt(managers.size())));
    if (replaced) {
      leader().ifPresent(leader -> outages.note(leader.name() + " is not to lead any more"));
      outages.afterwards(nanos(random.nextInt(MAX_SHORT_MILLIS)), () -> one().takeLead());
    }
    return replaced;
  }

  /**
   * SysMgr has a leader that has had no heartbeat of a primary yet. The primary serves by the lease
   * that the former leader renewed.
   */
  private boolean newLeaderBesideQuietPrimary() {
    Optional<SimulatedManager> primary =
        world.managers().stream().filter(node -> !node.isPaused() && node.isServing()).findFirst();
    if (primary.isEmpty()) {
      return false;
    }
    SimulatedManager quiet = primary.get();
    outages.note("nothing from " + quiet.name() + " to SysMgr, which is to have another leader");
    workload.waitFor(nanos(MAX_SHORT_MILLIS));
    world.sysmgrs().forEach(member -> world.network().cut(quiet.name(), member.name()));
    List<SysmgrNode> followers = world.sysmgrs().stream().filter(each -> !each.isLeader()).toList();
    outages.afterwards(
        nanos(random.nextInt(MAX_BEFORE_ELECTION_MILLIS)),
        () -> followers.get(random.nextInt(followers.size())).takeLead());
    outages.afterwards(
        nanos(MAX_SHORT_MILLIS + random.nextInt(MAX_SHORT_MILLIS)),
        () ->
            world
                .network()
                .healBut((from, to) -> !from.equals(quiet.name()) && !to.equals(quiet.name())));
    return true;
  }

  private boolean inOperation() {
    begin();
    workload.waitFor(nanos(MAX_SHORT_MILLIS));
    trap();
    return true;
  }

  private void trap() {
    RaftWatch.Step[] steps = RaftWatch.Step.values();
    RaftWatch.Step step = steps[random.nextInt(steps.length)];
    int times = 1 + random.nextInt(MAX_STEPS);
    outages.note("harm SysMgr's leader when it has " + step + " " + times + " times");
    world.whenSysmgrSteps(step, times, () -> outages.afterwards(0, this::harmLeader));
  }

  /** Something that takes SysMgr several steps. */
  private void begin() {
    switch (random.nextInt(workload.geometry().has(WorkloadBias.REPAIRED) ? 8 : 7)) {
      case 0 -> world.moves().any("/");
      case 1, 2 -> world.moves().any(world.homePath());
      case 3 -> world.extraVolumes().make();
      case 4 -> {
        if (!world.extraVolumes().delete()) {
          world.extraVolumes().make();
        }
      }
      case 5 -> {
        boolean unused = world.memberReplacements().replace(one());
      }
      case 6 -> killPrimary();
      default -> {
        boolean unused = world.osdDrains().any();
      }
    }
  }

  /** For longer than its lease: SysMgr gives its volumes to the backup. */
  private void killPrimary() {
    world.managers().stream()
        .filter(SimulatedManager::isServing)
        .findFirst()
        .ifPresent(
            primary -> {
              outages.note("kill " + primary.name() + " for long");
              primary.kill();
              outages.afterwards(
                  nanos(MAX_SHORT_MILLIS + random.nextInt(MAX_LONG_MILLIS)), primary::start);
            });
  }

  private void harmLeader() {
    leader().ifPresent(this::harm);
    if (random.nextInt(AGAIN_OUT_OF) == 0) {
      trap();
    }
  }

  private void harm(SysmgrNode leader) {
    switch (random.nextInt(7)) {
      case 0, 1 -> {
        boolean unused = outages.kill(leader);
      }
      case 2 -> {
        outages.note("power of " + leader.name());
        leader.machine().losePower();
        outages.afterwards(lasting(), leader::start);
      }
      case 3 -> pause(leader);
      case 4 -> {
        SysmgrNode other = one();
        outages.note(other.name() + " wants to lead");
        other.takeLead();
      }
      default -> {
        boolean unused = cutOff(leader);
      }
    }
  }

  private void pause(SysmgrNode leader) {
    outages.note("pause " + leader.name());
    leader.pause();
    outages.afterwards(lasting(), () -> outages.resume(leader));
  }

  /** From others of its kind, while clients may reach it: in both directions, or in one. */
  private boolean cutOff(SysmgrNode leader) {
    int way = random.nextInt(4);
    List<SysmgrNode> others =
        world.sysmgrs().stream().filter(each -> !each.equals(leader)).toList();
    int spared = random.nextInt(3) == 0 ? random.nextInt(others.size()) : -1;
    for (int index = 0; index < others.size(); index++) {
      if (index != spared && way != 0) {
        world.network().cut(leader.name(), others.get(index).name());
      }
      if (index != spared && way != 1) {
        world.network().cut(others.get(index).name(), leader.name());
      }
    }
    outages.afterwards(lasting(), () -> healed(leader));
    return true;
  }
}
