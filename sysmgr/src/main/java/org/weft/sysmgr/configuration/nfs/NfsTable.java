package org.weft.sysmgr.configuration.nfs;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.sysmgr.configuration.cluster.Secret;

/**
 * What NFS gateways serve, to which hosts, and as which users. Immutable.
 *
 * @param version grows with each change; 0: there was none
 * @param handleKey signs handles; made with the first export and kept for ever
 * @param lastExportId ids up to here have been given out; never given again
 * @param exports by path
 * @param users names by their numbers, unsigned
 * @param groups likewise
 * @param members all groups of a user, by names; of other users the hosts of gateways know them
 * @param monitor clients with locks; no part of the version
 */
public record NfsTable(
    long version,
    Optional<Secret> handleKey,
    int lastExportId,
    SortedMap<String, NfsExport> exports,
    SortedMap<Long, String> users,
    SortedMap<Long, String> groups,
    SortedMap<String, List<String>> members,
    NfsMonitor monitor) {
  public static final int KEY_BYTES = 32;
  public static final int MAX_EXPORTS = 1_000;
  public static final int MAX_IDS = 10_000;

  /** Of one user. */
  public static final int MAX_GROUPS = 1_024;

  /** Users in groups, each counted for each of its groups. */
  public static final int MAX_MEMBERSHIPS = 20_000;

  public static final NfsTable EMPTY =
      new NfsTable(
          0,
          Optional.empty(),
          0,
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          NfsMonitor.EMPTY);

  public NfsTable {
    exports = Collections.unmodifiableSortedMap(new TreeMap<>(exports));
    users = Collections.unmodifiableSortedMap(new TreeMap<>(users));
    groups = Collections.unmodifiableSortedMap(new TreeMap<>(groups));
    SortedMap<String, List<String>> copied = new TreeMap<>();
    members.forEach((user, of) -> copied.put(user, List.copyOf(of)));
    members = Collections.unmodifiableSortedMap(copied);
  }

  /** With this export, new or changed. */
  public NfsTable with(NfsExport export, Secret keyIfNone) {
    SortedMap<String, NfsExport> next = new TreeMap<>(exports);
    next.put(export.path(), export);
    return new NfsTable(
        version + 1,
        Optional.of(handleKey.orElse(keyIfNone)),
        Math.max(lastExportId, export.id()),
        next,
        users,
        groups,
        members,
        monitor);
  }

  /** Without the export of that path. */
  public NfsTable without(String path) {
    SortedMap<String, NfsExport> next = new TreeMap<>(exports);
    next.remove(path);
    return new NfsTable(
        version + 1, handleKey, lastExportId, next, users, groups, members, monitor);
  }

  /** Names of users, or of groups. */
  public SortedMap<Long, String> names(boolean ofGroups) {
    return ofGroups ? groups : users;
  }

  /** With that name for the number of a user or a group. */
  public NfsTable withName(boolean ofGroup, long number, String name) {
    SortedMap<Long, String> next = new TreeMap<>(names(ofGroup));
    next.put(number, name);
    return withNames(ofGroup, next);
  }

  /** Without a name for that number of a user or a group. */
  public NfsTable withoutName(boolean ofGroup, long number) {
    SortedMap<Long, String> next = new TreeMap<>(names(ofGroup));
    next.remove(number);
    return withNames(ofGroup, next);
  }

  private NfsTable withNames(boolean ofGroups, SortedMap<Long, String> next) {
    return new NfsTable(
        version + 1,
        handleKey,
        lastExportId,
        exports,
        ofGroups ? users : next,
        ofGroups ? next : groups,
        members,
        monitor);
  }

  /** How many users are in groups, each counted for each of its groups. */
  public int memberships() {
    return members.values().stream().mapToInt(List::size).sum();
  }

  /** With all groups of a user; none: the table says nothing of the user. */
  public NfsTable withGroups(String user, List<String> of) {
    SortedMap<String, List<String>> next = new TreeMap<>(members);
    if (of.isEmpty()) {
      next.remove(user);
    } else {
      next.put(user, of);
    }
    return new NfsTable(
        version + 1, handleKey, lastExportId, exports, users, groups, next, monitor);
  }

  /** With other clients that have locks. */
  public NfsTable with(NfsMonitor next) {
    return new NfsTable(version, handleKey, lastExportId, exports, users, groups, members, next);
  }

  /**
   * After a restoration, what was changed after the copy was made is forgotten, but its numbers are
   * not given again. Gateways take the older table, even an empty one, as the newer one. Clients
   * that were recorded after it are recorded again when gateways take their addresses again.
   */
  public NfsTable jumped(long versions, int ids) {
    return new NfsTable(
        version + versions,
        handleKey,
        lastExportId + ids,
        exports,
        users,
        groups,
        members,
        monitor.unserved());
  }
}
