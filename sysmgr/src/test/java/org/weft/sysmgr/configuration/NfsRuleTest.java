package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.nfs.NfsExport;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.restore.Restoration;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/** What NFS gateways serve, as the members of SysMgr agree on it. */
final class NfsRuleTest {
  private static final List<String> OFFICE = List.of("10.1.0.0/16");

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private int keys;

  private Command.PutNfsExport add(String path) {
    return put(path, true, Optional.of(OFFICE), Optional.empty());
  }

  private Command.PutNfsExport put(
      String path, boolean isNew, Optional<List<String>> clients, Optional<Boolean> readOnly) {
    byte[] key = new byte[NfsTable.KEY_BYTES];
    key[0] = (byte) ++keys;
    return new Command.PutNfsExport(
        path,
        isNew,
        clients,
        readOnly,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Secret.of(key));
  }

  private void done(Command command) {
    assertInstanceOf(CommandResult.Done.class, machine.apply(command), command::toString);
  }

  private void refused(ErrorCode code, Command command) {
    Configuration before = machine.state();
    CommandResult answer = machine.apply(command);
    assertTrue(
        answer instanceof CommandResult.Refused refused && refused.code() == code,
        answer::toString);
    assertEquals(before, machine.state());
  }

  private NfsTable table() {
    return machine.state().nfs();
  }

  @Test
  void exportsDefaultToRootSquashAndReservedPorts() {
    done(add("/a"));
    assertEquals(
        new NfsExport(1, "/a", OFFICE, false, NfsSquash.ROOT, false, false),
        table().exports().get("/a"));
  }

  @Test
  void optionsThatAreNotNamedStay() {
    done(add("/a"));
    done(put("/a", false, Optional.empty(), Optional.of(true)));
    assertEquals(
        new NfsExport(1, "/a", OFFICE, true, NfsSquash.ROOT, false, false),
        table().exports().get("/a"));
    refused(ErrorCode.EXISTS, add("/a"));
    refused(ErrorCode.NOT_FOUND, put("/b", false, Optional.of(OFFICE), Optional.empty()));
  }

  @Test
  void theKeyOfTheHandlesIsTheFirstAndStays() {
    Command.PutNfsExport first = add("/a");
    done(first);
    done(new Command.RemoveNfsExport("/a"));
    done(add("/b"));
    assertEquals(Optional.of(first.handleKey()), table().handleKey());
  }

  @Test
  void theIdOfAnExportThatIsGoneIsNotGivenAgain() {
    done(add("/a"));
    done(new Command.RemoveNfsExport("/a"));
    done(add("/a"));
    assertEquals(2, table().exports().get("/a").id());
  }

  @Test
  void anExportWithoutClientsOrOfNoPathIsRefused() {
    refused(ErrorCode.INVALID_ARGUMENT, put("/a", true, Optional.empty(), Optional.empty()));
    for (String path : List.of("a", "/a/", "/a//b", "/a/../b", "")) {
      refused(ErrorCode.INVALID_ARGUMENT, add(path));
    }
    done(add("/"));
  }

  @Test
  void aNumberIsOfOneNameUntilItIsTaken() {
    done(new Command.PutNfsId(false, 0xffff_fffeL, "alice"));
    done(new Command.PutNfsId(true, 0xffff_fffeL, "staff"));
    refused(ErrorCode.EXISTS, new Command.PutNfsId(false, 0xffff_fffeL, "bob"));
    assertEquals(Map.of(0xffff_fffeL, "alice"), table().users());
    done(new Command.PutNfsId(false, 0xffff_fffeL, ""));
    assertEquals(Map.of(), table().users());
    assertEquals(Map.of(0xffff_fffeL, "staff"), table().groups());
  }

  private Command.PutNfsExport manage(String path, boolean wanted) {
    Command.PutNfsExport change = put(path, false, Optional.empty(), Optional.empty());
    return new Command.PutNfsExport(
        path,
        false,
        change.clients(),
        change.readOnly(),
        change.squash(),
        change.insecure(),
        Optional.of(wanted),
        change.handleKey());
  }

  @Test
  void groupsAreLookedUpWhereAnExportSaysSoAndStays() {
    done(add("/a"));
    assertFalse(table().exports().get("/a").manageGids());
    done(manage("/a", true));
    done(put("/a", false, Optional.empty(), Optional.of(true)));
    assertTrue(table().exports().get("/a").manageGids());
    done(manage("/a", false));
    assertFalse(table().exports().get("/a").manageGids());
  }

  @Test
  void groupsOfAUserAreThoseThatWereNamedLast() {
    done(new Command.PutNfsGroups("alice", List.of("users", "ops")));
    long version = table().version();
    done(new Command.PutNfsGroups("alice", List.of("users", "ops")));
    assertEquals(version, table().version(), "nothing has changed");
    done(new Command.PutNfsGroups("alice", List.of("ops")));
    assertEquals(Map.of("alice", List.of("ops")), table().members());
    done(new Command.PutNfsGroups("alice", List.of()));
    assertEquals(Map.of(), table().members());
  }

  @Test
  void groupsOfUsersAreBounded() {
    List<String> most =
        IntStream.range(0, NfsTable.MAX_GROUPS).mapToObj(each -> "g" + each).toList();
    List<String> more = Stream.concat(most.stream(), Stream.of("one more")).toList();
    refused(ErrorCode.INVALID_ARGUMENT, new Command.PutNfsGroups("alice", more));
    int users = NfsTable.MAX_MEMBERSHIPS / NfsTable.MAX_GROUPS;
    for (int user = 0; user < users; user++) {
      done(new Command.PutNfsGroups("user-" + user, most));
    }
    refused(ErrorCode.INVALID_ARGUMENT, new Command.PutNfsGroups("one more", most));
    done(new Command.PutNfsGroups("user-1", List.of("g1")));
    done(new Command.PutNfsGroups("one more", most));
  }

  @Test
  void exportsShowInNoVersionOfTheClustersTable() {
    long before = machine.state().tableVersion();
    done(add("/a"));
    assertEquals(before, machine.state().tableVersion());
    assertEquals(1, table().version());
  }

  @Test
  void aSnapshotKeepsThemAndAnOlderOneHasNone() throws IOException {
    assertEquals(NfsTable.EMPTY, read(snapshot()).nfs());
    done(add("/a"));
    done(new Command.PutNfsId(true, 100, "users"));
    done(new Command.PutNfsGroups("alice", List.of("users", "ops")));
    done(manage("/a", true));
    assertEquals(machine.state(), read(snapshot()));
  }

  private byte[] snapshot() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), bytes);
    return bytes.toByteArray();
  }

  private static Configuration read(byte[] snapshot) throws IOException {
    return SnapshotCodec.read(new ByteArrayInputStream(snapshot));
  }

  /** Else gateways that know a later table would go on with it. */
  @Test
  void aRestoredClusterHasANewerEmptyExportTable() {
    machine.apply(new RandomCommands(3).format());
    NfsTable restored = Restoration.restored(machine.state(), List.of(), 5).nfs();
    for (int i = 0; i < 2_000; i++) {
      done(add("/a"));
      done(new Command.RemoveNfsExport("/a"));
    }
    assertTrue(restored.version() > table().version());
    assertTrue(restored.lastExportId() > table().lastExportId());
    assertTrue(restored.exports().isEmpty());
  }

  @Test
  void aRestoredClusterKeepsItsHandlesAndGivesNoIdTwice() {
    machine.apply(new RandomCommands(3).format());
    done(add("/a"));
    NfsTable before = table();
    NfsTable restored = Restoration.restored(machine.state(), List.of(), 5).nfs();
    assertEquals(before.handleKey(), restored.handleKey());
    assertEquals(before.exports(), restored.exports());
    assertNotEquals(before.version(), restored.version());
    assertTrue(restored.version() > before.version());
    assertTrue(restored.lastExportId() > before.lastExportId());
  }
}
