package org.weft.sysmgr.configuration;

import java.util.Optional;

/**
 * Takes the leader's judgement of nodes. A judgement of an incarnation that has joined again since
 * is void. An OSD comes up only with the newest keys and fence epochs in its store (P 5.8, 6.2): a
 * manager that takes a new epoch finds every OSD either in its table as UP, to be fenced, or not
 * yet UP and so bound to store the new fence first.
 */
final class LivenessRule {
  private LivenessRule() {}

  static Decision decide(Configuration state, Command.SetLiveness command) {
    Draft draft = new Draft(state);
    for (Command.Judgement judgement : command.judgements()) {
      Optional<Node> node = state.node(judgement.node());
      if (node.isPresent() && takesEffect(state, node.get(), judgement)) {
        boolean stopped = judgement.liveness() == Liveness.DOWN && judgement.stopped();
        put(
            draft,
            judgement.node(),
            node.get().with(judgement.liveness(), stopped, command.nowMillis()));
      }
    }
    return new Decision(draft.freeze(), new Answer.Done());
  }

  private static boolean takesEffect(Configuration state, Node node, Command.Judgement judgement) {
    boolean current = node.incarnation() == judgement.incarnation();
    boolean says = node.liveness() != judgement.liveness();
    boolean mayComeUp =
        judgement.liveness() != Liveness.UP
            || judgement.node().kind() != NodeKey.Kind.OSD
            || judgement.partitionsVersion() == state.partitionsVersion();
    return current && says && mayComeUp;
  }

  private static void put(Draft draft, NodeKey key, Node node) {
    switch (key.kind()) {
      case OSD -> draft.osds.computeIfPresent(key.osdId(), (id, osd) -> osd.with(node));
      case MANAGER ->
          draft.managers.computeIfPresent(key.managerId(), (id, manager) -> manager.with(node));
    }
  }
}
