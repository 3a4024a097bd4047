package org.weft.simulator.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.simulator.base.SimContext;
import org.weft.testkit.raft.RaftWatch;
import org.weft.testkit.raft.RaftWire;
import org.weft.testkit.sim.WireFaults;

/**
 * Members of SysMgr that elect their leader themselves, and what carries their messages: the links
 * between their machines, with all faults of the network.
 */
public final class Quorum {
  private static final long MIN_NANOS = TimeUnit.MICROSECONDS.toNanos(60);
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int MIN_SNAPSHOT_EVERY = 12;
  private static final int MAX_MORE_SNAPSHOT_EVERY = 100;

  private final SimContext setting;
  private final SplittableRandom random;
  private final RaftWatch watch;
  private final RaftWire wire;
  private final List<Member> first;
  private final int snapshotEvery;
  private final SortedMap<Integer, String> machines = new TreeMap<>();
  private final List<VotingSysmgr> nodes = new ArrayList<>();

  private record Trap(Predicate<RaftWatch.Step> step, Runnable then) {}

  private Optional<Trap> trap = Optional.empty();

  public Quorum(SimContext setting, ClusterPlace place) {
    this.setting = setting;
    this.random = setting.random("members of sysmgr");
    this.watch = new RaftWatch(what -> setting.trace().note("sysmgr", () -> what));
    this.wire = new RaftWire(this::send, watch);
    this.snapshotEvery = MIN_SNAPSHOT_EVERY + random.nextInt(MAX_MORE_SNAPSHOT_EVERY);
    List<Member> members = new ArrayList<>();
    for (int id = 1; id <= place.sysmgrs().size(); id++) {
      members.add(VotingSysmgr.member(id, place.sysmgrs().get(id - 1)));
      machines.put(id, place.sysmgrs().get(id - 1).host());
    }
    this.first = List.copyOf(members);
    watch.whenLeaderSteps(this::stepped);
  }

  List<Member> first() {
    return first;
  }

  RaftWire wire() {
    return wire;
  }

  int snapshotEvery() {
    return snapshotEvery;
  }

  /** Sentences; none if all was well. */
  public List<String> found() {
    return watch.found();
  }

  void add(VotingSysmgr node) {
    nodes.add(node);
  }

  List<VotingSysmgr> nodes() {
    return nodes;
  }

  /** A member of that id runs on that machine. */
  void runs(int memberId, String machine) {
    machines.put(memberId, machine);
  }

  /** Happens a moment after the leader has taken such a step so many times; in place of another. */
  public void trap(RaftWatch.Step step, int times, Runnable then) {
    int[] left = {times};
    trap = Optional.of(new Trap(each -> each == step && --left[0] <= 0, then));
  }

  private void stepped(int member, RaftWatch.Step step) {
    Optional<Trap> sprung = trap.filter(each -> each.step().test(step));
    if (sprung.isPresent()) {
      trap = Optional.empty();
      setting.time().after(random.nextLong(MAX_NANOS), sprung.get().then());
    }
  }

  private void send(int from, int to, int bytes, Runnable arrival) {
    String sender = machines.get(from);
    String receiver = machines.get(to);
    WireFaults faults = setting.wire().faults();
    WireFaults.Fate fate = faults.fate(WireFaults.FrameKind.REQUEST, sender, receiver);
    if (faults.isCut(sender, receiver) || fate.harm() == WireFaults.Harm.LOST) {
      return;
    }
    long nanos =
        random.nextLong(MIN_NANOS, MAX_NANOS)
            + fate.delayNanos()
            + faults.extraNanos(sender, receiver)
            + bytes;
    setting.time().after(nanos, arrival);
  }
}
