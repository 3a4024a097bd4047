package org.weft.sysmgr.configuration.stored;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.wire.ChangeBladeSetCommand;
import org.weft.protocol.wire.StoredArrival;
import org.weft.protocol.wire.StoredBladeSet;
import org.weft.protocol.wire.StoredGrowth;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.command.Command;

/** BladeSets and their changes, as snapshots and commands keep them. */
final class BladeSetCodec {
  private BladeSetCodec() {}

  static StoredBladeSet stored(BladeSet set) {
    return StoredBladeSet.newBuilder()
        .setName(set.name())
        .setDomain(set.domain().number())
        .addAllComingOsd(set.coming().stream().map(OsdId::value).toList())
        .addAllAbsorbed(set.absorbed())
        .build();
  }

  /** One of an older release is a name alone. */
  static SortedMap<String, BladeSet> bladeSets(List<StoredBladeSet> stored) {
    SortedMap<String, BladeSet> sets = new TreeMap<>();
    for (StoredBladeSet each : stored) {
      sets.put(
          each.getName(),
          new BladeSet(
              each.getName(),
              FaultDomain.Wish.ofNumber(each.getDomain()),
              osds(each.getComingOsdList()),
              new TreeSet<>(each.getAbsorbedList())));
    }
    return sets;
  }

  private static SortedSet<OsdId> osds(List<Integer> ids) {
    SortedSet<OsdId> osds = new TreeSet<>();
    ids.forEach(id -> osds.add(new OsdId(id)));
    return osds;
  }

  static ChangeBladeSetCommand stored(Command.ChangeBladeSet command) {
    BladeSetChange change = command.change();
    ChangeBladeSetCommand.Builder stored =
        ChangeBladeSetCommand.newBuilder().setName(change.name());
    if (change instanceof BladeSetChange.Create create) {
      stored.setCreate(create.domain().number());
    } else if (change instanceof BladeSetChange.Delete) {
      stored.setDelete(true);
    } else if (change instanceof BladeSetChange.SetDomain set) {
      stored.setSetDomain(set.domain().number());
    } else if (change instanceof BladeSetChange.Merge merge) {
      stored.setMergeInto(merge.into());
    } else if (change instanceof BladeSetChange.Grow grow) {
      stored.setGrow(
          StoredGrowth.newBuilder().addAllOsdId(grow.osds().stream().map(OsdId::value).toList()));
    } else if (change instanceof BladeSetChange.Arrive arrive) {
      stored.setArrive(
          StoredArrival.newBuilder()
              .setOsdId(arrive.osd().value())
              .setClearedDrain(arrive.clearedDrain()));
    } else {
      throw new AssertionError("unhandled change: " + change);
    }
    return stored.build();
  }

  static Command command(ChangeBladeSetCommand stored) {
    String name = stored.getName();
    return new Command.ChangeBladeSet(
        switch (stored.getChangeCase()) {
          case CREATE ->
              new BladeSetChange.Create(name, FaultDomain.Wish.ofNumber(stored.getCreate()));
          case DELETE -> new BladeSetChange.Delete(name);
          case SET_DOMAIN ->
              new BladeSetChange.SetDomain(name, FaultDomain.Wish.ofNumber(stored.getSetDomain()));
          case MERGE_INTO -> new BladeSetChange.Merge(name, stored.getMergeInto());
          case GROW -> new BladeSetChange.Grow(name, osds(stored.getGrow().getOsdIdList()));
          case ARRIVE ->
              new BladeSetChange.Arrive(
                  name,
                  new OsdId(stored.getArrive().getOsdId()),
                  stored.getArrive().getClearedDrain());
          case CHANGE_NOT_SET ->
              throw new IllegalArgumentException("a change of a BladeSet that is none");
        });
  }
}
