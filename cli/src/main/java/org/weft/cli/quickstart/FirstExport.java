package org.weft.cli.quickstart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import org.weft.protocol.wire.NfsExportChange;
import org.weft.protocol.wire.NfsIdRow;
import org.weft.protocol.wire.NfsSquash;

/**
 * What a new quickstart exports by NFS: all files, to this host alone, whose users are believed in
 * any case. Whatever an operator changes later stays.
 */
final class FirstExport {
  private static final List<String> THIS_HOST = List.of("127.0.0.0/8", "::1");
  private static final int ID_TIMEOUT_SECONDS = 5;

  private FirstExport() {}

  /**
   * Exports the root where nothing was ever exported, and gives a number to the user that runs the
   * quickstart.
   */
  static void prepare(ClusterView cluster, String user) {
    NfsAdmin admin = new NfsAdmin(cluster);
    if (admin.show().join().getTable().getVersion() != 0) {
      return;
    }
    id("-u").ifPresent(uid -> name(admin, user, false, uid, user));
    Optional<Integer> gid = id("-g");
    Optional<String> group = said("-gn");
    if (gid.isPresent() && group.isPresent()) {
      name(admin, user, true, gid.get(), group.get());
    }
    admin
        .change(
            ChangeNfsExportRequest.newBuilder()
                .setUser(user)
                .setChange(NfsExportChange.ADD_EXPORT)
                .setPath("/")
                .addAllClients(THIS_HOST)
                .setSquash(NfsSquash.SQUASH_NONE)
                .setInsecure(true)
                .build())
        .join();
  }

  private static void name(NfsAdmin admin, String user, boolean group, int number, String name) {
    admin
        .change(
            ChangeNfsIdRequest.newBuilder()
                .setUser(user)
                .setId(NfsIdRow.newBuilder().setGroup(group).setNumber(number).setName(name))
                .build())
        .join();
  }

  private static Optional<Integer> id(String option) {
    return said(option).filter(text -> text.matches("[0-9]{1,10}")).map(Integer::parseUnsignedInt);
  }

  /** What the program id says; empty where it does not. */
  private static Optional<String> said(String option) {
    try {
      Process id =
          new ProcessBuilder("id", option).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String text = new String(id.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      boolean ended = id.waitFor(ID_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return ended && id.exitValue() == 0 && !text.isEmpty() ? Optional.of(text) : Optional.empty();
    } catch (IOException e) {
      // A host without that program has numbers alone.
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
