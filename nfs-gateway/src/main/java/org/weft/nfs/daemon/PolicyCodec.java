package org.weft.nfs.daemon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Identities;
import org.weft.nfs.exports.NumberTable;
import org.weft.nfs.exports.Squash;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Network;
import org.weft.protocol.wire.NfsExportRow;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsIdRow;
import org.weft.protocol.wire.NfsSquash;
import org.weft.protocol.wire.NfsTable;

/** Translates SysMgr's records into the gateway's types. */
final class PolicyCodec {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyCodec.class);
  private static final int KEY_NUMBER = 1;
  private static final int ROOT = 0;
  private static final String SUPERGROUP = "supergroup";

  private PolicyCodec() {}

  static Optional<HandleCodec> handles(NfsGatewayReply reply) {
    return reply.getHandleKey().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new HandleCodec(
                new ClusterId(reply.getClusterId()),
                KEY_NUMBER,
                reply.getHandleKey().toByteArray()));
  }

  /** Exports whose directories are to be looked up yet. */
  static List<Export> exports(NfsTable table) {
    List<Export> exports = new ArrayList<>();
    for (NfsExportRow row : table.getExportsList()) {
      try {
        exports.add(export(row));
      } catch (IllegalArgumentException e) {
        // A rule of a newer release: an export must not be open to more hosts than its table says.
        LOG.error("{} is not exported here: {}", row.getPath(), e.getMessage());
      }
    }
    return exports;
  }

  private static Export export(NfsExportRow row) {
    if (row.getClientsCount() == 0) {
      throw new IllegalArgumentException("it names no client");
    }
    return new Export(
        row.getExportId(),
        row.getPath(),
        Optional.empty(),
        row.getClientsList().stream().map(Network::parse).toList(),
        row.getReadOnly(),
        squash(row.getSquash()),
        row.getInsecure(),
        row.getManageGids());
  }

  /** Groups of users, by the names that the table gives them. */
  static Map<String, List<String>> members(NfsTable table) {
    Map<String, List<String>> members = new HashMap<>();
    table.getMembersList().forEach(row -> members.put(row.getUser(), row.getGroupsList()));
    return members;
  }

  private static Squash squash(NfsSquash squash) {
    return switch (squash) {
      case SQUASH_ROOT -> Squash.ROOT;
      case SQUASH_ALL -> Squash.ALL;
      case SQUASH_NONE -> Squash.NONE;
      case NFS_SQUASH_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("this release does not know its squash");
    };
  }

  /**
   * The table's numbers. Where the table says nothing, the usual numbers count. User 0 is the
   * superuser of the cluster (root, where the table gives that user another number). Group 0 is its
   * superusers, and 65534 is nobody.
   */
  static NumberTable identities(NfsTable table, String superuser) {
    Map<Integer, String> users = new HashMap<>();
    Map<Integer, String> groups = new HashMap<>();
    for (NfsIdRow row : table.getIdsList()) {
      (row.getGroup() ? groups : users).put(row.getNumber(), row.getName());
    }
    boolean free = !superuser.isEmpty() && !users.containsValue(superuser);
    users.putIfAbsent(ROOT, free ? superuser : "root");
    users.putIfAbsent(Identities.NOBODY, "nobody");
    if (!groups.containsValue(SUPERGROUP)) {
      groups.putIfAbsent(ROOT, SUPERGROUP);
    }
    groups.putIfAbsent(Identities.NOBODY, "nogroup");
    return new NumberTable(users, groups);
  }
}
