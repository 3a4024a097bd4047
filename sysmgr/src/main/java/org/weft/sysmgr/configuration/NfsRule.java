package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.nfs.NfsExport;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.VolumePaths;

/**
 * Changes of what NFS gateways serve. A repeat gets the same answer and changes nothing: so what is
 * not there is removed already.
 */
final class NfsRule {
  private NfsRule() {}

  static Decision decide(Configuration state, Command.PutNfsExport command) {
    Optional<String> fault =
        command.path().equals("/") ? Optional.empty() : VolumePaths.fault(command.path());
    if (fault.isPresent()) {
      return Decision.refused(
          state, ErrorCode.INVALID_ARGUMENT, fault.get().replace("a volume", "an export"));
    }
    NfsTable table = state.nfs();
    Optional<NfsExport> there = Optional.ofNullable(table.exports().get(command.path()));
    if (there.isEmpty() && !command.isNew()) {
      return Decision.refused(state, ErrorCode.NOT_FOUND, notThere(command.path()));
    }
    NfsExport next = next(table, command, there);
    if (there.equals(Optional.of(next))) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (there.isPresent() && command.isNew()) {
      return Decision.refused(
          state,
          ErrorCode.EXISTS,
          "%s is exported already; `weft nfs export set %s` changes how"
              .formatted(command.path(), command.path()));
    }
    if (next.clients().isEmpty()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "an export names its clients: addresses or ranges such as 10.1.0.0/16; 0.0.0.0/0 is all");
    }
    if (there.isEmpty() && table.exports().size() >= NfsTable.MAX_EXPORTS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "there are %d exports, and there can be no more".formatted(NfsTable.MAX_EXPORTS));
    }
    return next(state, table.with(next, command.handleKey()));
  }

  private static String notThere(String path) {
    return "%s is not exported; `weft nfs export list` shows what is".formatted(path);
  }

  /** One to be added takes nothing over from one that is there but its id. */
  private static NfsExport next(
      NfsTable table, Command.PutNfsExport command, Optional<NfsExport> there) {
    Optional<NfsExport> before = there.filter(export -> !command.isNew());
    return new NfsExport(
        there.map(NfsExport::id).orElse(table.lastExportId() + 1),
        command.path(),
        command.clients().orElse(before.map(NfsExport::clients).orElse(List.of())),
        command.readOnly().orElse(before.filter(NfsExport::readOnly).isPresent()),
        command.squash().orElse(before.map(NfsExport::squash).orElse(NfsSquash.ROOT)),
        command.insecure().orElse(before.filter(NfsExport::insecure).isPresent()),
        command.manageGids().orElse(before.filter(NfsExport::manageGids).isPresent()));
  }

  static Decision decide(Configuration state, Command.RemoveNfsExport command) {
    return state.nfs().exports().containsKey(command.path())
        ? next(state, state.nfs().without(command.path()))
        : Decision.unchanged(state, new CommandResult.Done());
  }

  static Decision decide(Configuration state, Command.PutNfsId command) {
    NfsTable table = state.nfs();
    String known = table.names(command.group()).get(command.number());
    String kind = command.group() ? "group" : "user";
    if (command.name().isEmpty()) {
      return known != null
          ? next(state, table.withoutName(command.group(), command.number()))
          : Decision.unchanged(state, new CommandResult.Done());
    }
    if (command.name().equals(known)) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (known != null) {
      return Decision.refused(
          state,
          ErrorCode.EXISTS,
          "%s %d is %s already; `weft nfs id remove --%s %d` first"
              .formatted(
                  kind,
                  command.number(),
                  known,
                  command.group() ? "gid" : "uid",
                  command.number()));
    }
    if (table.users().size() + table.groups().size() >= NfsTable.MAX_IDS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "there are %d users and groups with numbers, and there can be no more"
              .formatted(NfsTable.MAX_IDS));
    }
    return next(state, table.withName(command.group(), command.number(), command.name()));
  }

  static Decision decide(Configuration state, Command.PutNfsGroups command) {
    NfsTable table = state.nfs();
    List<String> known = table.members().getOrDefault(command.user(), List.of());
    if (known.equals(command.groups())) {
      return Decision.unchanged(state, new CommandResult.Done());
    }
    if (command.groups().size() > NfsTable.MAX_GROUPS) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "a user is in %,d groups at most, got %,d"
              .formatted(NfsTable.MAX_GROUPS, command.groups().size()));
    }
    NfsTable next = table.withGroups(command.user(), command.groups());
    if (next.memberships() > NfsTable.MAX_MEMBERSHIPS && command.groups().size() > known.size()) {
      return Decision.refused(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "users are in %,d groups, each counted for each user, and there can be no more than %,d; the hosts of the gateways know groups of users that are not named here"
              .formatted(table.memberships(), NfsTable.MAX_MEMBERSHIPS));
    }
    return next(state, next);
  }

  private static Decision next(Configuration state, NfsTable table) {
    ConfigurationDraft draft = new ConfigurationDraft(state);
    draft.nfs(table);
    return new Decision(draft.freeze(), new CommandResult.Done());
  }
}
