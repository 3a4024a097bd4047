package org.weft.simulator.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.wire.MemberChange;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.node.ClusterPlace;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.node.VotingSysmgr;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Operators that replace members of SysMgr, one after another: one that has lost its disk, or one
 * that is well. The old one is removed, its machine starts with an empty disk to join, and the new
 * one is added, as docs/operations.md says. An operator may die at any step; another operator
 * continues.
 */
public final class MemberReplacements {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(4);

  private enum Step {
    REMOVING,
    JOINING,
    ADDING
  }

  private final SimContext setting;
  private final ClusterPlace place;
  private final RandomGenerator random;
  private final SortedSet<Integer> removed = new TreeSet<>();
  private Optional<VotingSysmgr> underWay = Optional.empty();
  private Step step = Step.REMOVING;
  private int memberId;
  private Operator operator;
  private Optional<CompletableFuture<MemberChange>> asked = Optional.empty();
  private int added;

  MemberReplacements(SimContext setting, ClusterPlace place) {
    this.setting = setting;
    this.place = place;
    this.random = setting.random("replacements");
  }

  /** No member is being replaced, and none has to be. */
  public boolean isOver() {
    return underWay.isEmpty();
  }

  /** How many members were replaced. */
  public int done() {
    return added;
  }

  /** Its disk is lost. A second one at a time would be more than is promised. */
  public boolean loseDisk(SysmgrNode member) {
    if (underWay.isPresent() || !(member instanceof VotingSysmgr node)) {
      return false;
    }
    memberId = node.memberId().orElseThrow();
    node.machine().loseDisk();
    begin(node);
    // As its supervisor would, which knows of nothing.
    setting.time().after(random.nextLong(MAX_PAUSE_NANOS), node::start);
    return true;
  }

  /** It is well, and another one is to take its place. */
  public boolean replace(SysmgrNode member) {
    if (underWay.isPresent() || !(member instanceof VotingSysmgr node)) {
      return false;
    }
    memberId = node.memberId().orElseThrow();
    begin(node);
    return true;
  }

  /**
   * The process that is to be added dies before its disk has its number, and another one starts in
   * its place. The operator learns of it when the addition fails.
   */
  public void startAnother() {
    VotingSysmgr node = underWay.orElseThrow();
    note("another process comes to " + node.name());
    node.startToJoin();
  }

  private void begin(VotingSysmgr node) {
    note("replaces member " + memberId + " on " + node.name());
    underWay = Optional.of(node);
    step = Step.REMOVING;
    asked = Optional.empty();
    setting.time().after(random.nextLong(MAX_PAUSE_NANOS), this::look);
  }

  private void note(String what) {
    setting.trace().note("operator", () -> what);
  }

  /** The operator that asked dies, whatever has become of it. */
  public void killOperator() {
    if (operator != null) {
      operator.leave();
      operator = null;
      asked = Optional.empty();
    }
  }

  private void look() {
    VotingSysmgr node = underWay.orElseThrow();
    switch (step) {
      case REMOVING -> ask(true);
      case JOINING -> joining(node);
      case ADDING -> ask(false);
    }
    if (underWay.isPresent()) {
      setting.time().after(LOOK_NANOS, this::look);
    }
  }

  private void ask(boolean removal) {
    if (asked.isEmpty()) {
      killOperator();
      operator = new Operator(setting, place, random.nextLong());
      note((removal ? "removes member " : "adds member ") + memberId);
      asked = Optional.of(operator.changeMember(memberId, removal));
    } else if (asked.get().isDone()) {
      Throwable failure = asked.get().handle((done, thrown) -> thrown).join();
      killOperator();
      if (failure == null || isNeedless(failure)) {
        note("member " + memberId + (removal ? " is removed" : " is added"));
        stepDone(removal);
      } else {
        note("member " + memberId + ": " + WeftException.of(failure).getMessage());
        if (!removal) {
          joining(underWay.orElseThrow());
        }
      }
    }
  }

  /** An operator that died has had it done. */
  private boolean isNeedless(Throwable failure) {
    return step == Step.REMOVING && WeftException.of(failure).code() == ErrorCode.NOT_FOUND;
  }

  private void stepDone(boolean removal) {
    if (removal) {
      removed.add(memberId);
      step = Step.JOINING;
      VotingSysmgr node = underWay.orElseThrow();
      setting.time().after(random.nextLong(MAX_PAUSE_NANOS), node::startToJoin);
    } else {
      added++;
      underWay = Optional.empty();
    }
  }

  private void joining(VotingSysmgr node) {
    if (node.memberId().orElse(0) > memberId) {
      memberId = node.memberId().getAsInt();
      step = Step.ADDING;
    }
  }

  /** What was acknowledged and is not so, in a world where all is well again. */
  List<String> lost(Configuration known) {
    List<String> lost = new ArrayList<>();
    for (Member member : known.sysmgr().members()) {
      if (removed.contains(member.memberId())) {
        lost.add("member " + member.memberId() + " was removed and votes");
      }
    }
    return lost;
  }
}
