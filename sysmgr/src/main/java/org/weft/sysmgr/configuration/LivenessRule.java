package org.weft.sysmgr.configuration;

import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Takes the leader's judgement of nodes. A judgement of an incarnation that has joined again since
 * is void. An OSD comes up only with the newest keys and fence epochs in its store (P 5.8, 6.2). So
 * a manager that takes a new epoch finds two kinds of OSDs. Either its table has the OSD as UP, to
 * be fenced, or the OSD is not yet UP and must store the new fence first. An OSD whose store has
 * failed stays DOWN for as long as it is not started again: it can store nothing.
 */
final class LivenessRule {
  private LivenessRule() {}

  static Decision decide(Configuration state, Command.SetLiveness command) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    for (Command.Judgement judgement : command.judgements()) {
      switch (judgement.node().kind()) {
        case OSD ->
            draft.osds.computeIfPresent(
                judgement.node().osdId(), (id, osd) -> judged(state, osd, judgement, command));
        case MANAGER ->
            draft.managers.computeIfPresent(
                judgement.node().managerId(),
                (id, manager) -> {
                  Node node = manager.node();
                  boolean takesEffect =
                      node.incarnation() == judgement.incarnation()
                          && node.liveness() != judgement.liveness()
                          && judgement.liveness() != Liveness.QUARANTINED;
                  return takesEffect
                      ? manager.with(changed(node, judgement, judgement.liveness(), command))
                      : manager;
                });
      }
    }
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  /** An OSD that comes back after it was given up comes into quarantine (P 5.8). */
  private static OsdNode judged(
      Configuration state, OsdNode osd, Command.Judgement judgement, Command.SetLiveness command) {
    Node node = osd.node();
    if (node.incarnation() != judgement.incarnation()) {
      return osd;
    }
    if (!judgement.storeFailure().isEmpty() && judgement.liveness() == Liveness.DOWN) {
      return failed(osd, judgement, command);
    }
    boolean isRemoved = state.history().placement().removed().contains(osd.id());
    if ((node.storeFailed() || isRemoved) && judgement.liveness() != Liveness.DOWN) {
      return osd;
    }
    boolean alive =
        judgement.liveness() == Liveness.UP || judgement.liveness() == Liveness.QUARANTINED;
    if (!alive) {
      boolean says =
          judgement.liveness() == Liveness.SUSPECT
              ? node.liveness() != Liveness.SUSPECT && node.liveness() != Liveness.DOWN
              : node.liveness() != judgement.liveness();
      return !says ? osd : osd.with(changed(node, judgement, judgement.liveness(), command));
    }
    boolean mayBeBack = osd.unusable().isEmpty() || node.liveness() != Liveness.DOWN;
    if (judgement.partitionsVersion() != state.partitionsVersion() || !mayBeBack) {
      return osd;
    }
    OsdNode here =
        node.liveness() == Liveness.DOWN
            ? osd.with(QuarantineRule.begun(osd, state.volumes(), false, command.nowMillis()))
            : osd;
    boolean free =
        !here.quarantine().active() && judgement.quarantine() == here.quarantine().number();
    Liveness becomes = free ? Liveness.UP : Liveness.QUARANTINED;
    OsdNode now =
        node.liveness() == becomes ? here : here.with(changed(node, judgement, becomes, command));
    return now.with(now.quarantine().serving(state.served(now, judgement.open())));
  }

  /** The first reason is kept: what fails later follows from it. */
  private static OsdNode failed(
      OsdNode osd, Command.Judgement judgement, Command.SetLiveness command) {
    Node node = osd.node();
    Node named = node.storeFailed() ? node : node.withStoreFailure(judgement.storeFailure());
    return osd.with(
        node.liveness() == Liveness.DOWN
            ? named
            : changed(named, judgement, Liveness.DOWN, command));
  }

  private static Node changed(
      Node node, Command.Judgement judgement, Liveness becomes, Command.SetLiveness command) {
    boolean stopped = becomes == Liveness.DOWN && judgement.stopped();
    return node.with(becomes, stopped, command.nowMillis());
  }
}
