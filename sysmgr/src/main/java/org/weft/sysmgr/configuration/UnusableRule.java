package org.weft.sysmgr.configuration;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.Unusable;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Gives up an OSD that SysMgr hears and managers cannot use, and takes that back (P 5.8).
 *
 * <p>An OSD that is given up so hears with its next heartbeat that it is in quarantine. It is DOWN,
 * and so written around, once it has said that it refuses clients, or was silent for the ordinary
 * time. That follows in any case: nothing takes the word back before, for the OSD may have heard
 * it.
 *
 * <p>After that, the absent OSDs of a BladeSet, for whatever reason, are no more than the default
 * code of each of its volumes bears. At least one other OSD is there. An OSD that waits in
 * quarantine to be compared is there, for it may wait for the very manager that waits here. An OSD
 * that may have lost writes is away, for what it lost may be on this one.
 */
public final class UnusableRule {
  private UnusableRule() {}

  static Decision decide(Configuration state, Command.SetUnusable command) {
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null || osd.node().incarnation() != command.incarnation()) {
      return isVoid(state, command.osd());
    }
    if (osd.unusable().isPresent()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    Optional<String> refusal = refusal(state, osd);
    if (refusal.isPresent()) {
      return Decision.refused(state, ErrorCode.TOO_MANY_LOST, refusal.get());
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    Unusable unusable = new Unusable(command.managers(), command.why(), command.nowMillis());
    draft.osds.put(osd.id(), osd.with(Optional.of(unusable)));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  static Decision decide(Configuration state, Command.SetUsable command) {
    OsdNode osd = state.osds().get(command.osd());
    if (osd == null || osd.node().incarnation() != command.incarnation()) {
      return isVoid(state, command.osd());
    }
    if (osd.unusable().isEmpty()) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (osd.node().liveness() != Liveness.DOWN) {
      return Decision.refused(
          state, ErrorCode.NOT_FOUND, "OSD " + command.osd() + " is not down yet");
    }
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.osds.put(osd.id(), osd.with(Optional.<Unusable>empty()));
    return new Decision(draft.freeze(), new CommandResult.Done());
  }

  private static Decision isVoid(Configuration state, OsdId osd) {
    return Decision.refused(
        state, ErrorCode.NOT_FOUND, "OSD " + osd + " has started again since that was judged");
  }

  /** Why the OSD must not be given up now, in a sentence; empty if it may. */
  public static Optional<String> refusal(Configuration state, OsdNode osd) {
    if (osd.unusable().isPresent() || !isHeard(osd)) {
      return Optional.of("OSD " + osd.id() + " is " + osd.node().liveness() + " already");
    }
    List<OsdNode> others =
        state.osds().values().stream()
            .filter(other -> other.bladeSet().equals(osd.bladeSet()) && !other.equals(osd))
            .toList();
    List<OsdId> away = others.stream().filter(other -> !isThere(other)).map(OsdNode::id).toList();
    if (away.size() == others.size()) {
      return Optional.of("no other OSD is there");
    }
    int borne = borne(state.volumes().values(), osd.bladeSet());
    return away.size() < borne
        ? Optional.empty()
        : Optional.of(
            "OSDs "
                + away
                + " are away already; files as volumes make them by default have so many parity units: "
                + borne);
  }

  private static boolean isHeard(OsdNode osd) {
    return osd.node().liveness() == Liveness.UP || osd.node().liveness() == Liveness.QUARANTINED;
  }

  private static boolean isThere(OsdNode osd) {
    return isHeard(osd) && osd.unusable().isEmpty() && !osd.quarantine().lostWrites();
  }

  /** Where files have no parity one may go all the same: without it nothing could be written. */
  private static int borne(Collection<Volume> volumes, String bladeSet) {
    return volumes.stream()
        .filter(volume -> volume.bladeSet().equals(bladeSet))
        .mapToInt(volume -> Math.max(1, volume.defaultParityUnits()))
        .min()
        .orElse(1);
  }
}
