package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Tells the newest data directory of a node from an old copy of it (P 5.10). Such a copy may be
 * made with rsync or cp, or be a snapshot or a restored backup.
 *
 * <pre>
 *  what joins                                         OSD                     manager
 *  does not know the start that was let in last       refused                 refused
 *  has a smaller checkpoint than was heard            refused                 -
 *  lacks changes that were heard, no checkpoint       may lack writes (5.9)   refused
 *  else                                               is believed             is believed
 * </pre>
 *
 * <p>Once a checkpoint was heard, managers may have forgotten what it covers. A comparison as after
 * lost power would not find what an older copy lacks. What no checkpoint covers is what such a
 * comparison is for.
 *
 * <p>After SysMgr was restored from a copy, it does not know the last start, only that it had no
 * less than the copy says. The first row is passed over until the node has joined once.
 */
final class HistoryRule {
  private static final String ADVICE =
      "; start it with the newest data directory, or with an empty one: then it joins as a new node";

  private HistoryRule() {}

  /** What is known of the node's last start, with what the leader has heard. */
  private static NodeHistory known(Configuration state, NodeKey node, Command.Join command) {
    return state.histories().getOrDefault(node, NodeHistory.NONE).with(command.heard());
  }

  /** Why the node must not be let in; empty if it may. */
  static Optional<Decision> refusal(Configuration state, NodeKey node, Command.Join command) {
    NodeHistory known = known(state, node, command);
    StartProof proof = command.proof();
    if (isNothingNew(known, proof)) {
      return Optional.empty();
    }
    if (known.isKnown() && !proof.knownStarts().contains(known.startId())) {
      return Optional.of(
          refused(
              state,
              "the data directory of "
                  + node
                  + " is an old copy, or a newer copy of it has been started since: it does not know"
                  + " the last start that this cluster let in, so acknowledged changes may be"
                  + " missing in it"));
    }
    if (proof.checkpoint() < known.checkpoint()) {
      return Optional.of(
          refused(
              state,
              "the data directory of %s is an old copy: it holds checkpoint %d, but %d was durable already"
                  .formatted(node, proof.checkpoint(), known.checkpoint())));
    }
    if (node.kind() == NodeKey.Kind.MANAGER && proof.change() < known.change()) {
      return Optional.of(
          refused(
              state,
              "the data directory of %s is an old copy: its journals hold %d changes, but %d were acknowledged already"
                  .formatted(node, proof.change(), known.change())));
    }
    return Optional.empty();
  }

  private static Decision refused(Configuration state, String why) {
    return Decision.refused(state, ErrorCode.FENCED, why + ADVICE);
  }

  /** An OSD that is let in lacks changes that it once had, none of them under a checkpoint. */
  static boolean lacksWrites(Configuration state, NodeKey node, Command.Join command) {
    NodeHistory known = known(state, node, command);
    return !isNothingNew(known, command.proof()) && command.proof().change() < known.change();
  }

  private static boolean isNothingNew(NodeHistory known, StartProof proof) {
    return !known.isBound() || proof.startId() == 0 || proof.startId() == known.startId();
  }

  /** The node has been let in: nothing is known of one of an older release. */
  static void letIn(ConfigurationDraft draft, NodeKey node, Command.Join command) {
    StartProof proof = command.proof();
    if (proof.startId() == 0) {
      draft.histories.remove(node);
    } else {
      draft.histories.merge(
          node,
          proof.history(),
          (before, now) -> before.startId() == now.startId() ? before.with(now) : now);
    }
  }

  static Decision decide(Configuration state, Command.NoteHistories command) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    command
        .histories()
        .forEach(
            (node, heard) ->
                draft.histories.computeIfPresent(node, (key, before) -> before.with(heard)));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
