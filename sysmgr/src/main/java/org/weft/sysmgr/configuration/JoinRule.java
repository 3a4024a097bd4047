package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.Quarantine;
import org.weft.sysmgr.configuration.node.Unusable;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Lets a node join (P 5.8): its identity, from its disk, decides which node it is. A wiped disk is
 * a new node, an older copy of a disk is refused ({@link HistoryRule}), and so is a disk of another
 * cluster. An OSD whose store has failed is DOWN from its join on, for as long as it is not started
 * again. Every other OSD is UP in what this rule decides. If a quarantine begins with the join,
 * {@link org.weft.sysmgr.configuration.state.ClosedVolumes#settled} then turns UP into QUARANTINED,
 * before the state is shown. The first manager becomes the owner of the volumes that have none.
 */
final class JoinRule {
  private JoinRule() {}

  static Decision decide(Configuration state, Command.Join command) {
    if (state.cluster().isEmpty()) {
      return Decision.refused(
          state, ErrorCode.UNAVAILABLE, "the cluster is not made yet; try again");
    }
    String cluster = state.cluster().get().id().value();
    String word = command.kind().word();
    if (!command.clusterId().isEmpty() && !command.clusterId().equals(cluster)) {
      return Decision.refused(
          state,
          ErrorCode.WRONG_CLUSTER,
          "this is cluster "
              + cluster
              + ", the "
              + word
              + "'s data directory belongs to cluster "
              + command.clusterId()
              + "; point it at that cluster or give it an empty directory");
    }
    Optional<String> gone =
        command.kind() == NodeKey.Kind.MANAGER
            ? RemoveManagerRule.refusal(state, command.identity())
            : Optional.empty();
    if (gone.isPresent()) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, gone.get());
    }
    Optional<NodeKey> known = known(state, command);
    Optional<String> contradiction = contradiction(state, command, known);
    if (contradiction.isPresent()) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, contradiction.get());
    }
    Optional<String> removed =
        known
            .filter(key -> key.kind() == command.kind() && command.kind() == NodeKey.Kind.OSD)
            .flatMap(key -> RemoveOsdRule.refusal(state, key.osdId()));
    if (removed.isPresent()) {
      return Decision.refused(state, ErrorCode.INVALID_ARGUMENT, removed.get());
    }
    // One that is known stays where it is, whatever its configuration says.
    Optional<String> bladeSet =
        BladeSetRule.resolved(
            state,
            command.bladeSet().isEmpty() ? Configuration.DEFAULT_BLADE_SET : command.bladeSet());
    if (known.isEmpty() && command.kind() == NodeKey.Kind.OSD && bladeSet.isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "there is no BladeSet %s, which `osd.bladeset` names; there are %s; make it first (weft bladeset create %s), then start the OSD again"
              .formatted(
                  command.bladeSet(),
                  String.join(", ", state.bladeSets().keySet()),
                  command.bladeSet()));
    }
    Optional<Decision> refusal = known.flatMap(key -> HistoryRule.refusal(state, key, command));
    if (refusal.isPresent()) {
      return refusal.get();
    }
    boolean lacksWrites =
        known.filter(key -> HistoryRule.lacksWrites(state, key, command)).isPresent();
    ConfigurationDraft draft = new ConfigurationDraft(state);
    int id =
        switch (command.kind()) {
          case OSD ->
              joinOsd(draft, known.map(NodeKey::osdId), command, lacksWrites, bladeSet.orElse(""))
                  .value();
          case MANAGER -> joinManager(draft, known.map(NodeKey::managerId), command).value();
        };
    HistoryRule.letIn(draft, new NodeKey(command.kind(), id), command);
    return new Decision(draft.freeze(), new CommandResult.Joined(id));
  }

  private static Optional<NodeKey> known(Configuration state, Command.Join command) {
    return state.nodes().entrySet().stream()
        .filter(entry -> entry.getKey().kind() == command.kind())
        .filter(entry -> entry.getValue().identity().equals(command.identity()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static Optional<String> contradiction(
      Configuration state, Command.Join command, Optional<NodeKey> known) {
    String word = command.kind().word();
    if (known.isEmpty()) {
      return command.nodeId() == 0
          ? Optional.empty()
          : Optional.of(
              "the node says that it is "
                  + word
                  + "-"
                  + command.nodeId()
                  + " with identity "
                  + command.identity()
                  + ", but this cluster knows no such identity; if SysMgr's"
                  + " data was lost, restore it, else give the node an empty directory");
    }
    if (command.nodeId() != 0 && command.nodeId() != known.get().id()) {
      return Optional.of(
          "identity "
              + command.identity()
              + " is that of "
              + known.get()
              + ", but the node says"
              + " that it is "
              + word
              + "-"
              + command.nodeId());
    }
    long last = state.node(known.get()).orElseThrow().incarnation();
    if (Long.compareUnsigned(command.incarnation(), last) < 0) {
      return Optional.of(
          known.get()
              + " has joined as incarnation "
              + Long.toUnsignedString(last)
              + " already,"
              + " this one is "
              + Long.toUnsignedString(command.incarnation())
              + ": an old copy of"
              + " its data directory, or a process that should have ended");
    }
    return Optional.empty();
  }

  private static OsdId joinOsd(
      ConfigurationDraft draft,
      Optional<OsdId> known,
      Command.Join command,
      boolean lacksWrites,
      String bladeSet) {
    OsdId id = known.orElseGet(draft::issueOsdId);
    OsdNode before = draft.osds.get(id);
    Node joined = node(before == null ? null : before.node(), command);
    Node node =
        before != null && isTakenBack(before, command)
            ? joined.with(joined.liveness(), false, command.nowMillis())
            : joined;
    draft.vacate(command.addresses());
    draft.osds.put(
        id,
        new OsdNode(
            id,
            node,
            before == null ? bladeSet : before.bladeSet(),
            command.capacityBytes(),
            uncleanMillis(before, command),
            quarantine(draft, before, command, lacksWrites),
            unusable(before, command),
            command.rack()));
    return id;
  }

  /**
   * An OSD that was given up may hold what maps call missing; one that stopped uncleanly may lack
   * what it had taken. Nothing is known to lie on one that joins for the first time.
   */
  private static Quarantine quarantine(
      ConfigurationDraft draft, OsdNode before, Command.Join command, boolean lacksWrites) {
    if (before == null) {
      return Quarantine.NONE;
    }
    boolean repeated = before.node().incarnation() == command.incarnation();
    if (repeated && before.node().storeFailed()) {
      // It stays DOWN: the next one begins when it was started again.
      return before.quarantine();
    }
    // What a store had taken when it failed may be gone, whether it could note that or not.
    boolean lostWrites =
        !repeated && (command.unclean() || lacksWrites || before.node().storeFailed());
    // One that stays given up begins a quarantine when it is taken back.
    return lostWrites || before.node().liveness() == Liveness.DOWN || isTakenBack(before, command)
        ? QuarantineRule.begun(before, draft.volumes, lostWrites, command.nowMillis())
        : before.quarantine();
  }

  /** Managers could not use the OSD, and may be able to use what joins. */
  private static boolean isTakenBack(OsdNode before, Command.Join command) {
    return before.unusable().isPresent() && unusable(before, command).isEmpty();
  }

  /** Another start, or one at another address, may be usable. */
  private static Optional<Unusable> unusable(OsdNode before, Command.Join command) {
    boolean same =
        before != null
            && before.node().incarnation() == command.incarnation()
            && before.node().addresses().equals(command.addresses());
    return same ? before.unusable() : Optional.empty();
  }

  private static long uncleanMillis(OsdNode before, Command.Join command) {
    boolean repeated = before != null && before.node().incarnation() == command.incarnation();
    if (command.unclean() && !repeated) {
      return Math.max(1, command.nowMillis());
    }
    return before == null ? 0 : before.uncleanMillis();
  }

  private static ManagerId joinManager(
      ConfigurationDraft draft, Optional<ManagerId> known, Command.Join command) {
    ManagerId id = known.orElseGet(draft::issueManagerId);
    ManagerNode before = draft.managers.get(id);
    Node node = node(before == null ? null : before.node(), command);
    draft.vacate(command.addresses());
    draft.managers.put(id, new ManagerNode(id, node, before == null ? List.of() : before.nonces()));
    draft.volumes.replaceAll(
        (key, volume) -> volume.owner().isPresent() ? volume : volume.ownedBy(id));
    return id;
  }

  /** The node after its join; one that is as it was and says nothing new stays so. */
  private static Node node(Node before, Command.Join command) {
    boolean repeated = before != null && before.incarnation() == command.incarnation();
    String storeFailure =
        repeated && before.storeFailed() ? before.storeFailure() : command.storeFailure();
    Liveness becomes = storeFailure.isEmpty() ? Liveness.UP : Liveness.DOWN;
    boolean asBefore = repeated && before.liveness() == becomes;
    return new Node(
        command.identity(),
        command.addresses(),
        command.host(),
        command.incarnation(),
        becomes,
        asBefore ? before.sinceMillis() : command.nowMillis(),
        false,
        storeFailure);
  }
}
