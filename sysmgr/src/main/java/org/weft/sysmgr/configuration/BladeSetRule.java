package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Decides which changes of BladeSets are allowed (P 4.5). A map that names an OSD outside its
 * volume's BladeSet would have that OSD taken for removed. So an OSD leaves a BladeSet only when no
 * volume of it can name the OSD. Either no volume is there, or their managers said so of the drain
 * that is under way. A merge only adds OSDs to those that a volume may use; keys and fences are on
 * every OSD of the cluster already. Decided by the state and the change alone, so that every member
 * and every replay decides alike.
 */
final class BladeSetRule {
  static final int MAX_BLADE_SETS = 64;

  private final Configuration state;
  private final ConfigurationDraft draft;

  private BladeSetRule(Configuration state) {
    this.state = state;
    this.draft = new ConfigurationDraft(state);
  }

  static Decision decide(Configuration state, Command.ChangeBladeSet command) {
    BladeSetRule rule = new BladeSetRule(state);
    BladeSetChange change = command.change();
    Optional<CommandResult.Refused> refusal;
    if (change instanceof BladeSetChange.Create create) {
      refusal = rule.create(create.name(), create.domain());
    } else if (rule.isMerged(change)) {
      refusal = Optional.empty();
    } else if (!state.bladeSets().containsKey(change.name())) {
      refusal = absent(state, change.name());
    } else if (change instanceof BladeSetChange.Delete) {
      refusal = rule.delete(change.name());
    } else if (change instanceof BladeSetChange.SetDomain set) {
      rule.put(rule.of(set.name()).with(set.domain()));
      refusal = Optional.empty();
    } else if (change instanceof BladeSetChange.Merge merge) {
      refusal = rule.merge(merge.name(), merge.into());
    } else if (change instanceof BladeSetChange.Grow grow) {
      refusal = rule.grow(grow.name(), grow.osds());
    } else if (change instanceof BladeSetChange.Arrive arrive) {
      refusal = rule.arrive(arrive);
    } else {
      throw new AssertionError("unhandled change: " + change);
    }
    return refusal
        .map(why -> Decision.unchanged(state, why))
        .orElseGet(() -> new Decision(rule.draft.freeze(), new CommandResult.Done()));
  }

  /** The BladeSet of that name, or the one that it was merged into; empty: none ever was. */
  static Optional<String> resolved(Configuration state, String name) {
    if (state.bladeSets().containsKey(name)) {
      return Optional.of(name);
    }
    return state.bladeSets().values().stream()
        .filter(each -> each.absorbed().contains(name))
        .map(BladeSet::name)
        .findFirst();
  }

  static Optional<CommandResult.Refused> absent(Configuration state, String name) {
    return refused(
        ErrorCode.NOT_FOUND,
        "there is no BladeSet "
            + name
            + "; there are "
            + String.join(", ", state.bladeSets().keySet())
            + resolved(state, name).map(into -> ", and it was merged into " + into).orElse(""));
  }

  private Optional<CommandResult.Refused> create(String name, FaultDomain.Wish domain) {
    if (!BladeSet.isName(name)) {
      return refused(
          ErrorCode.INVALID_ARGUMENT,
          "a BladeSet's name has 1 to 64 letters, digits, dots, hyphens and underscores, got '"
              + name
              + "'");
    }
    BladeSet there = state.bladeSets().get(name);
    if (there != null) {
      return there.domain() == domain
          ? Optional.empty()
          : refused(
              ErrorCode.EXISTS,
              "BladeSet "
                  + name
                  + " exists already, with fault domain "
                  + there.domain().word()
                  + "; `weft bladeset set` changes that");
    }
    if (state.bladeSets().size() >= MAX_BLADE_SETS) {
      return refused(
          ErrorCode.NO_SPACE,
          "the cluster has " + MAX_BLADE_SETS + " BladeSets, the most that it can have");
    }
    draft.bladeSets.replaceAll((each, set) -> set.withAbsorbed(without(set.absorbed(), name)));
    put(BladeSet.of(name, domain));
    return Optional.empty();
  }

  private Optional<CommandResult.Refused> delete(String name) {
    if (name.equals(Configuration.DEFAULT_BLADE_SET)) {
      return refused(
          ErrorCode.INVALID_ARGUMENT,
          "BladeSet " + name + " stays: OSDs and volumes of which nothing is said are in it");
    }
    String volumes =
        state.volumes().values().stream()
            .filter(each -> each.bladeSet().equals(name))
            .map(Volume::path)
            .collect(Collectors.joining(", "));
    List<OsdNode> osds = members(name);
    if (!volumes.isEmpty() || !osds.isEmpty() || !of(name).coming().isEmpty()) {
      return refused(
          ErrorCode.NOT_EMPTY,
          "BladeSet %s is not empty: volumes %s, OSDs %s; delete its volumes and move its OSDs (weft bladeset grow), or merge it into another one (weft bladeset merge)"
              .formatted(
                  name, volumes.isEmpty() ? "none" : volumes, names(osds, of(name).coming())));
    }
    draft.bladeSets.remove(name);
    draft.placement(state.history().placement().withoutBalance(name));
    return Optional.empty();
  }

  private static String names(List<OsdNode> osds, SortedSet<OsdId> coming) {
    SortedSet<OsdId> all = new TreeSet<>(coming);
    osds.forEach(each -> all.add(each.id()));
    return all.isEmpty()
        ? "none"
        : all.stream().map(each -> "osd-" + each).collect(Collectors.joining(", "));
  }

  /** The same merge was decided before, also if its target went into a third BladeSet since. */
  private boolean isMerged(BladeSetChange change) {
    return change instanceof BladeSetChange.Merge merge
        && !state.bladeSets().containsKey(merge.name())
        && resolved(state, merge.name())
            .filter(into -> resolved(state, merge.into()).equals(Optional.of(into)))
            .isPresent();
  }

  private Optional<CommandResult.Refused> merge(String from, String into) {
    if (!state.bladeSets().containsKey(into)) {
      return absent(state, into);
    }
    if (from.equals(into)) {
      return refused(ErrorCode.INVALID_ARGUMENT, "BladeSet " + from + " cannot go into itself");
    }
    if (from.equals(Configuration.DEFAULT_BLADE_SET)) {
      return refused(
          ErrorCode.INVALID_ARGUMENT,
          "BladeSet %s stays, for OSDs and volumes of which nothing is said are in it; merge the other one into it: weft bladeset merge %s %s"
              .formatted(from, into, from));
    }
    draft.osds.replaceAll((id, osd) -> osd.bladeSet().equals(from) ? osd.in(into) : osd);
    draft.volumes.replaceAll(
        (id, volume) -> volume.bladeSet().equals(from) ? volume.in(into) : volume);
    SortedSet<OsdId> coming = new TreeSet<>(of(into).coming());
    coming.addAll(of(from).coming());
    PlacementOrders placement = state.history().placement();
    for (OsdId each : List.copyOf(coming)) {
      if (draft.osds.get(each).bladeSet().equals(into)) {
        coming.remove(each);
        placement = placement.undrained(each);
      }
    }
    draft.placement(placement.withoutBalance(from));
    SortedSet<String> absorbed = new TreeSet<>(of(into).absorbed());
    absorbed.addAll(of(from).absorbed());
    absorbed.add(from);
    put(of(into).withComing(coming).withAbsorbed(absorbed));
    draft.bladeSets.remove(from);
    return Optional.empty();
  }

  private Optional<CommandResult.Refused> grow(String name, SortedSet<OsdId> osds) {
    SortedSet<OsdId> coming = new TreeSet<>(of(name).coming());
    for (OsdId id : osds) {
      OsdNode osd = state.osds().get(id);
      Optional<CommandResult.Refused> refusal = refusal(id, osd);
      if (refusal.isPresent()) {
        return refusal;
      }
      if (osd.bladeSet().equals(name)) {
        continue;
      }
      boolean isFree =
          state.volumes().values().stream()
              .noneMatch(volume -> volume.bladeSet().equals(osd.bladeSet()));
      if (isFree) {
        arrived(osd, name);
        continue;
      }
      PlacementOrders placement = draft.placement();
      if (!placement.drains().containsKey(id)) {
        Optional<String> cannot = DrainOsdRule.refusal(state, draft.placement(), osd);
        if (cannot.isPresent()) {
          return refused(ErrorCode.INVALID_ARGUMENT, cannot.get());
        }
        draft.placement(placement.drained(id, state.tableVersion() + 1));
      }
      draft.bladeSets.replaceAll((each, set) -> set.withComing(without(set.coming(), id)));
      coming.add(id);
    }
    put(of(name).withComing(coming));
    return Optional.empty();
  }

  private Optional<CommandResult.Refused> refusal(OsdId id, OsdNode osd) {
    if (osd == null) {
      return refused(
          ErrorCode.NOT_FOUND, "there is no osd-%s; `weft status` shows them".formatted(id));
    }
    if (state.history().placement().removed().contains(id)) {
      return refused(
          ErrorCode.INVALID_ARGUMENT, "osd-%s was removed from the cluster".formatted(id));
    }
    if (osd.node().liveness() != Liveness.UP || osd.isGivenUp() || osd.quarantine().active()) {
      return refused(
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s is %s, and only an OSD that is up goes into another BladeSet; start it, and wait until `weft status` shows that it is up"
              .formatted(id, osd.node().liveness()));
    }
    return Optional.empty();
  }

  private Optional<CommandResult.Refused> arrive(BladeSetChange.Arrive change) {
    OsdNode osd = state.osds().get(change.osd());
    boolean isCleared =
        change.clearedDrain() != PlacementOrders.NO_DRAIN
            && state.history().placement().drainOf(change.osd()) == change.clearedDrain();
    if (osd == null || !isCleared || !of(change.name()).coming().contains(change.osd())) {
      return refused(
          ErrorCode.NOT_FOUND,
          "osd-%s does not come into BladeSet %s any more".formatted(change.osd(), change.name()));
    }
    arrived(osd, change.name());
    return refusal(change.osd(), osd);
  }

  private void arrived(OsdNode osd, String name) {
    draft.osds.put(osd.id(), osd.in(name));
    draft.placement(draft.placement().undrained(osd.id()));
  }

  private List<OsdNode> members(String name) {
    SortedSet<OsdId> removed = state.history().placement().removed();
    return state.osds().values().stream()
        .filter(each -> each.bladeSet().equals(name) && !removed.contains(each.id()))
        .toList();
  }

  private BladeSet of(String name) {
    return draft.bladeSets.get(name);
  }

  private void put(BladeSet set) {
    draft.bladeSets.put(set.name(), set);
  }

  private static <T> SortedSet<T> without(SortedSet<T> all, T one) {
    SortedSet<T> left = new TreeSet<>(all);
    left.remove(one);
    return left;
  }

  private static Optional<CommandResult.Refused> refused(ErrorCode code, String message) {
    return Optional.of(new CommandResult.Refused(code, message));
  }
}
