package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.rpc.Network;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.NfsExportChange;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What adding an export and changing one have in common. */
abstract class ExportChange extends NfsAction {
  private final NfsExportChange change;

  @Parameters(paramLabel = "PATH", description = "The directory, as clients name it too.")
  private String argument;

  @Option(
      names = "--clients",
      paramLabel = "CIDR",
      split = ",",
      description =
          "Addresses or ranges it is for, like 10.1.0.0/16 or 10.1.2.3; may be repeated. 0.0.0.0/0 is"
              + " all of IPv4.")
  private List<String> clients = new ArrayList<>();

  @Option(
      names = "--ro",
      negatable = true,
      fallbackValue = "true",
      description = "Changes are refused; --no-ro allows them (so it is at first).")
  private Boolean readOnly;

  @Option(
      names = "--squash",
      paramLabel = "CALLERS",
      description =
          "Callers that act as nobody: root (user and group 0; so it is at first), all, or none (user 0 is the"
              + " superuser).")
  private SquashName squash;

  @Option(
      names = "--insecure",
      negatable = true,
      fallbackValue = "true",
      description =
          "Calls from ports from 1024 on are taken, as libnfs and clients behind NAT make them;"
              + " --no-insecure refuses them (so it is at first).")
  private Boolean insecure;

  @Option(
      names = "--manage-gids",
      negatable = true,
      fallbackValue = "true",
      description =
          "Groups of users are looked up, by `weft nfs id groups`, else on the gateway's host, as for"
              + " users in more than 16 groups; --no-manage-gids believes those that clients state (so"
              + " it is at first).")
  private Boolean manageGids;

  ExportChange(NfsExportChange change) {
    this.change = change;
  }

  @Override
  protected void check() {
    path(argument);
    for (String range : clients) {
      try {
        var unused = Network.parse(range);
      } catch (IllegalArgumentException e) {
        throw wrong("--clients: " + e.getMessage());
      }
    }
    if (change == NfsExportChange.ADD_EXPORT && clients.isEmpty()) {
      throw wrong(
          "--clients: say which hosts it is for, as in --clients 10.1.0.0/16; 0.0.0.0/0 is all of IPv4");
    }
  }

  @Override
  final void run(NfsAdmin admin) {
    String path = path(argument);
    ChangeNfsExportRequest.Builder wanted =
        ChangeNfsExportRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups())
            .setChange(change)
            .setPath(path)
            .addAllClients(clients);
    if (readOnly != null) {
      wanted.setReadOnly(readOnly);
    }
    if (squash != null) {
      wanted.setSquash(squash.squash());
    }
    if (insecure != null) {
      wanted.setInsecure(insecure);
    }
    if (manageGids != null) {
      wanted.setManageGids(manageGids);
    }
    admin.change(wanted.build()).join();
    say(JsonNodeFactory.instance.objectNode().put("exported", path), path + " is exported.");
  }
}
