package org.weft.simulator.node;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.weft.simulator.base.SimContext;
import org.weft.testkit.replication.FakeReplication;

/**
 * Elects SysMgr's leader: some time after the leader has died or was stopped, a majority of the
 * members elects another one.
 */
public final class Elections {
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

  private final SimContext setting;
  private final SplittableRandom random;
  private final FakeReplication replication = new FakeReplication();
  private final List<SimSysmgr> members = new ArrayList<>();
  private SimSysmgr leader;

  public Elections(SimContext setting) {
    this.setting = setting;
    this.random = setting.random("elections");
  }

  FakeReplication replication() {
    return replication;
  }

  void takesPart(SimSysmgr member) {
    members.add(member);
  }

  /** Links between members were cut or healed. A member that reaches no majority is on its own. */
  public void linksChanged() {
    for (SimSysmgr member : members) {
      if (member.isRunning() && !member.isPaused()) {
        if (reachesMajority(member)) {
          replication.heal(member.memberId());
        } else {
          replication.cut(member.memberId());
        }
      }
    }
    changed();
  }

  private boolean reachesMajority(SimSysmgr member) {
    long reached =
        members.stream().filter(other -> other == member || reach(member, other)).count();
    return reached * 2 > members.size();
  }

  private boolean reach(SimSysmgr one, SimSysmgr other) {
    var faults = setting.wire().faults();
    return !faults.isCut(one.name(), other.name()) && !faults.isCut(other.name(), one.name());
  }

  /** Members came or went. */
  void changed() {
    setting.time().after(random.nextLong(MIN_NANOS, MAX_NANOS), this::electIfNeeded);
  }

  private void electIfNeeded() {
    List<SimSysmgr> able = able();
    boolean majority = able.size() * 2 > members.size();
    if (!majority) {
      if (leader != null) {
        leader = null;
        replication.depose();
      }
    } else if (!able.contains(leader) || !leader.isLeader()) {
      elect(able.get(random.nextInt(able.size())));
    }
  }

  private List<SimSysmgr> able() {
    return members.stream()
        .filter(member -> member.isRunning() && !member.isPaused() && reachesMajority(member))
        .toList();
  }

  /** The member writes a snapshot, and what came before it is forgotten. */
  void compact(SimSysmgr member) {
    if (member.isRunning() && !member.isPaused()) {
      member.note("takes a snapshot");
      var unused = replication.compactLater(member.memberId());
    }
  }

  void elect(SimSysmgr member) {
    if (able().contains(member)) {
      leader = member;
      member.note("is elected");
      replication.elect(member.memberId());
    }
  }
}
