package org.weft.sysmgr.configuration.stored;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.SetUnusableCommand;
import org.weft.protocol.wire.SetUsableCommand;
import org.weft.protocol.wire.StoredUnusable;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Unusable;

/** OSDs that managers cannot use, as commands and snapshots keep them. */
final class UnusableOsdCodec {
  private UnusableOsdCodec() {}

  static SetUnusableCommand stored(Command.SetUnusable command) {
    return SetUnusableCommand.newBuilder()
        .setOsdId(command.osd().value())
        .setIncarnation(command.incarnation())
        .addAllManagerId(numbers(command.managers()))
        .setWhy(command.why())
        .setNowMillis(command.nowMillis())
        .build();
  }

  static Command command(SetUnusableCommand stored) {
    return new Command.SetUnusable(
        new OsdId(stored.getOsdId()),
        stored.getIncarnation(),
        managers(stored.getManagerIdList()),
        stored.getWhy(),
        stored.getNowMillis());
  }

  static SetUsableCommand stored(Command.SetUsable command) {
    return SetUsableCommand.newBuilder()
        .setOsdId(command.osd().value())
        .setIncarnation(command.incarnation())
        .build();
  }

  static Command command(SetUsableCommand stored) {
    return new Command.SetUsable(new OsdId(stored.getOsdId()), stored.getIncarnation());
  }

  static StoredUnusable stored(Unusable unusable) {
    return StoredUnusable.newBuilder()
        .addAllManagerId(numbers(unusable.managers()))
        .setWhy(unusable.why())
        .setSinceMillis(unusable.sinceMillis())
        .build();
  }

  static Unusable unusable(StoredUnusable stored) {
    return new Unusable(
        managers(stored.getManagerIdList()), stored.getWhy(), stored.getSinceMillis());
  }

  private static List<Integer> numbers(SortedSet<ManagerId> managers) {
    return managers.stream().map(ManagerId::value).toList();
  }

  private static SortedSet<ManagerId> managers(List<Integer> numbers) {
    return new TreeSet<>(numbers.stream().map(ManagerId::new).toList());
  }
}
