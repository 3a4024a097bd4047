package org.weft.sysmgr.configuration.stored;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.wire.PutNfsExportCommand;
import org.weft.protocol.wire.PutNfsGroupsCommand;
import org.weft.protocol.wire.PutNfsIdCommand;
import org.weft.protocol.wire.RemoveNfsExportCommand;
import org.weft.protocol.wire.StoredNfs;
import org.weft.protocol.wire.StoredNfsClients;
import org.weft.protocol.wire.StoredNfsExport;
import org.weft.protocol.wire.StoredNfsId;
import org.weft.protocol.wire.StoredNfsMember;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.nfs.NfsExport;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;

/** What NFS gateways serve, as commands and snapshots keep it. */
final class NfsCodec {
  private static final long UNSIGNED = 0xffff_ffffL;

  private NfsCodec() {}

  static PutNfsExportCommand stored(Command.PutNfsExport command) {
    PutNfsExportCommand.Builder stored =
        PutNfsExportCommand.newBuilder()
            .setPath(command.path())
            .setIsNew(command.isNew())
            .setSquash(command.squash().map(NfsSquash::number).orElse(0))
            .setHandleKey(StoredValueCodec.bytes(command.handleKey()));
    command
        .clients()
        .ifPresent(
            clients -> stored.setClients(StoredNfsClients.newBuilder().addAllRange(clients)));
    command.readOnly().ifPresent(stored::setReadOnly);
    command.insecure().ifPresent(stored::setInsecure);
    command.manageGids().ifPresent(stored::setManageGids);
    return stored.build();
  }

  static Command command(PutNfsExportCommand stored) {
    return new Command.PutNfsExport(
        stored.getPath(),
        stored.getIsNew(),
        stored.hasClients()
            ? Optional.of(List.copyOf(stored.getClients().getRangeList()))
            : Optional.empty(),
        stored.hasReadOnly() ? Optional.of(stored.getReadOnly()) : Optional.empty(),
        stored.getSquash() == 0 ? Optional.empty() : Optional.of(NfsSquash.of(stored.getSquash())),
        stored.hasInsecure() ? Optional.of(stored.getInsecure()) : Optional.empty(),
        stored.hasManageGids() ? Optional.of(stored.getManageGids()) : Optional.empty(),
        StoredValueCodec.secret(stored.getHandleKey()));
  }

  static RemoveNfsExportCommand stored(Command.RemoveNfsExport command) {
    return RemoveNfsExportCommand.newBuilder().setPath(command.path()).build();
  }

  static Command command(RemoveNfsExportCommand stored) {
    return new Command.RemoveNfsExport(stored.getPath());
  }

  static PutNfsIdCommand stored(Command.PutNfsId command) {
    return PutNfsIdCommand.newBuilder()
        .setGroup(command.group())
        .setNumber((int) command.number())
        .setName(command.name())
        .build();
  }

  static Command command(PutNfsIdCommand stored) {
    return new Command.PutNfsId(stored.getGroup(), stored.getNumber() & UNSIGNED, stored.getName());
  }

  static PutNfsGroupsCommand stored(Command.PutNfsGroups command) {
    return PutNfsGroupsCommand.newBuilder()
        .setUser(command.user())
        .addAllGroups(command.groups())
        .build();
  }

  static Command command(PutNfsGroupsCommand stored) {
    return new Command.PutNfsGroups(stored.getUser(), stored.getGroupsList());
  }

  static StoredNfs stored(NfsTable table) {
    StoredNfs.Builder stored =
        StoredNfs.newBuilder()
            .setVersion(table.version())
            .setHandleKey(table.handleKey().map(StoredValueCodec::bytes).orElse(ByteString.EMPTY))
            .setLastExportId(table.lastExportId());
    table
        .exports()
        .values()
        .forEach(
            export ->
                stored.addExports(
                    StoredNfsExport.newBuilder()
                        .setExportId(export.id())
                        .setPath(export.path())
                        .setClients(StoredNfsClients.newBuilder().addAllRange(export.clients()))
                        .setReadOnly(export.readOnly())
                        .setSquash(export.squash().number())
                        .setInsecure(export.insecure())
                        .setManageGids(export.manageGids())));
    table.users().forEach((number, name) -> stored.addIds(id(false, number, name)));
    table.groups().forEach((number, name) -> stored.addIds(id(true, number, name)));
    table
        .members()
        .forEach(
            (user, groups) ->
                stored.addMembers(StoredNfsMember.newBuilder().setUser(user).addAllGroups(groups)));
    if (!table.monitor().equals(NfsMonitor.EMPTY)) {
      stored.setMonitor(NfsMonitorCodec.stored(table.monitor()));
    }
    return stored.build();
  }

  private static StoredNfsId id(boolean group, long number, String name) {
    return StoredNfsId.newBuilder().setGroup(group).setNumber((int) number).setName(name).build();
  }

  static NfsTable table(StoredNfs stored) {
    SortedMap<String, NfsExport> exports = new TreeMap<>();
    for (StoredNfsExport each : stored.getExportsList()) {
      exports.put(
          each.getPath(),
          new NfsExport(
              each.getExportId(),
              each.getPath(),
              each.getClients().getRangeList(),
              each.getReadOnly(),
              NfsSquash.of(each.getSquash()),
              each.getInsecure(),
              each.getManageGids()));
    }
    SortedMap<Long, String> users = new TreeMap<>();
    SortedMap<Long, String> groups = new TreeMap<>();
    for (StoredNfsId each : stored.getIdsList()) {
      (each.getGroup() ? groups : users).put(each.getNumber() & UNSIGNED, each.getName());
    }
    SortedMap<String, List<String>> members = new TreeMap<>();
    for (StoredNfsMember each : stored.getMembersList()) {
      members.put(each.getUser(), each.getGroupsList());
    }
    return new NfsTable(
        stored.getVersion(),
        stored.getHandleKey().isEmpty()
            ? Optional.empty()
            : Optional.of(StoredValueCodec.secret(stored.getHandleKey())),
        stored.getLastExportId(),
        exports,
        users,
        groups,
        members,
        stored.hasMonitor() ? NfsMonitorCodec.monitor(stored.getMonitor()) : NfsMonitor.EMPTY);
  }
}
