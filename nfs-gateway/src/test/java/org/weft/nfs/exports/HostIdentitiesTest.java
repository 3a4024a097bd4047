package org.weft.nfs.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.host.FakeAccounts;
import org.weft.nfs.host.HostTable;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Network;

/** Users and groups by the cluster's table, then the host's, else decimal; groups likewise. */
class HostIdentitiesTest {
  private static final NumberTable TABLE =
      new NumberTable(
          Map.of(0, "hdfs", 1_000, "alice", 65_534, "nobody"),
          Map.of(0, "supergroup", 100, "users", 65_534, "nogroup"));
  private static final NodeId ROOT = NodeId.of(1, 1);

  private final FakeAccounts accounts = new FakeAccounts();
  private final HostTable host = new HostTable(accounts, Runnable::run, () -> 0);
  private final HostIdentities identities = new HostIdentities(TABLE, host);

  private void learn(Set<Integer> numbers, Set<String> names) {
    identities.learn(new Identities.Wanted(numbers, numbers, names, names)).join();
  }

  @Test
  void tableComesBeforeHostAndHostBeforeNumber() {
    accounts.user(1_001, "bob").group(200, "staff");
    learn(Set.of(1_000, 1_001, 1_002, 100, 200, 300), Set.of("alice", "bob", "staff", "eve", "17"));
    assertEquals("alice", identities.user(1_000));
    assertEquals("bob", identities.user(1_001));
    assertEquals("1002", identities.user(1_002));
    assertEquals(
        List.of("users", "staff", "300"),
        List.of(100, 200, 300).stream().map(identities::group).toList());
    assertEquals(1_000, identities.uid("alice"));
    assertEquals(1_001, identities.uid("bob"));
    assertEquals(200, identities.gid("staff"));
    assertEquals(Identities.NOBODY, identities.uid("eve"));
    assertEquals(17, identities.uid("17"));
  }

  @Test
  void hostIsNotAskedForTableEntries() {
    learn(Set.of(0, 65_534), Set.of("nobody", "nogroup", "12"));
    identities.learn(Identities.Wanted.numbers(Set.of(1_000), Set.of(100))).join();
    accounts.fail(true);
    assertTrue(identities.knowsUser(1_000) && identities.knowsGroup(100));
    assertEquals(2, accounts.questions(), "group nobody and user nogroup alone");
  }

  /** Else a name of the host's would have two numbers, or be the superuser's. */
  @Test
  void hostEntryThatContradictsTheTableDoesNotCount() {
    accounts.user(1_000, "bob").user(2_000, "alice").user(0, "root").user(3_000, "hdfs");
    accounts.group(0, "root").group(3_000, "supergroup");
    learn(Set.of(2_000, 3_000), Set.of("bob", "root", "alice"));
    assertEquals("2000", identities.user(2_000));
    assertEquals("3000", identities.user(3_000));
    assertEquals("3000", identities.group(3_000));
    assertEquals(Identities.NOBODY, identities.uid("bob"));
    assertEquals(Identities.NOBODY, identities.uid("root"));
    assertEquals(1_000, identities.uid("alice"));
  }

  @Test
  void failedLookUpDoesNotKeepTheNumberAsItsName() {
    accounts.fail(true);
    learn(Set.of(1_001), Set.of());
    assertFalse(identities.knowsUser(1_001));
    FileException later = assertThrows(FileException.class, () -> identities.requireUser(1_001));
    assertEquals(FileError.TRY_LATER, later.error());
    assertEquals(1, host.problems().size());
  }

  private static RpcCall call(int uid, int gid, Integer... gids) {
    return new RpcCall(
        1,
        100_003,
        3,
        1,
        new RpcCredential.Sys(0, "host", uid, gid, List.of(gids)),
        new InetSocketAddress("127.0.0.1", 700),
        new InetSocketAddress("127.0.0.1", 7_350),
        CallMark.NONE);
  }

  private OnBehalfOf caller(boolean manageGids, Memberships memberships, RpcCall call)
      throws FileException {
    return caller(manageGids, Squash.ROOT, TABLE, memberships, call);
  }

  private static OnBehalfOf caller(
      boolean manageGids, Squash squash, Identities by, Memberships memberships, RpcCall call)
      throws FileException {
    Export export =
        new Export(1, "/", Optional.of(ROOT), List.of(), false, squash, false, manageGids);
    HandleCodec handles =
        new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
    Policy policy =
        new Policy(
            1, Optional.of(handles), new ExportTable(List.of(export)), by, memberships, "hdfs");
    Gatekeeper gate = new Gatekeeper(() -> policy);
    gate.prepare(call).join();
    return gate.enter(gate.handle(export, ROOT), call).by().caller();
  }

  private Memberships memberships() {
    return new Memberships(Map.of("alice", List.of("ops", "users")), Optional.of(host));
  }

  @Test
  void statedGroupsCountUnlessTheExportLooksThemUp() throws Exception {
    RpcCall call = call(1_000, 100, 7, 8);
    assertEquals(List.of("users", "7", "8"), caller(false, memberships(), call).groups());
    assertEquals(List.of("users", "ops"), caller(true, memberships(), call).groups());
    assertEquals(0, accounts.questions(), "the table names them");
  }

  @Test
  void theHostKnowsGroupsOfUsersThatTheTableDoesNotName() throws Exception {
    Integer[] many = new Integer[40];
    for (int i = 0; i < many.length; i++) {
      many[i] = 500 + i;
    }
    accounts.user(1_001, "bob", many);
    List<String> groups = caller(true, memberships(), call(1_001, 100, 7)).groups();
    assertEquals(41, groups.size());
    assertEquals("users", groups.get(0));
    assertTrue(groups.contains("539") && !groups.contains("7"), groups::toString);
    assertEquals(
        List.of("users"), caller(true, memberships(), call(1_009, 100, 7)).groups(), "no user");
  }

  @Test
  void groupsOfTheHostHaveItsNamesWhereThoseCount() throws Exception {
    accounts.user(1_001, "bob", 200, 0).group(200, "staff").group(0, "root");
    OnBehalfOf bob = caller(true, Squash.ROOT, identities, memberships(), call(1_001, 200));
    assertEquals("bob", bob.user());
    assertEquals(List.of("staff", "nogroup"), bob.groups(), "the superusers' group is squashed");
  }

  @Test
  void theTablesGroupOfSuperusersIsSquashedToo() throws Exception {
    Memberships ofRoot = new Memberships(Map.of("alice", List.of("supergroup")), Optional.of(host));
    assertEquals(List.of("users", "nogroup"), caller(true, ofRoot, call(1_000, 100)).groups());
  }

  @Test
  void aHostThatDoesNotAnswerMakesTheClientWait() {
    accounts.fail(true);
    FileException later =
        assertThrows(FileException.class, () -> caller(true, memberships(), call(1_001, 100, 7)));
    assertEquals(FileError.TRY_LATER, later.error());
  }

  /** Exports of 127.0.0.0/8, whose groups are looked up, and of 10.0.0.0/8, whose are not. */
  private Gatekeeper ofTwoNetworks(Identities by) {
    Export local = export(1, "/local", "127.0.0.0/8", true);
    Export other = export(2, "/other", "10.0.0.0/8", false);
    Policy policy =
        new Policy(
            1, Optional.empty(), new ExportTable(List.of(local, other)), by, memberships(), "hdfs");
    return new Gatekeeper(() -> policy);
  }

  private static Export export(int id, String path, String network, boolean manageGids) {
    return new Export(
        id,
        path,
        Optional.of(ROOT),
        List.of(Network.parse(network)),
        false,
        Squash.ROOT,
        false,
        manageGids);
  }

  private static RpcCall from(String address, int port) {
    RpcCall call = call(1_001, 100, 7);
    return new RpcCall(
        call.xid(),
        call.program(),
        call.version(),
        call.procedure(),
        call.credential(),
        new InetSocketAddress(address, port),
        call.server(),
        call.mark());
  }

  @Test
  void hostIsNotAskedForUnadmittedClients() {
    Gatekeeper gate = ofTwoNetworks(identities);
    for (RpcCall call : List.of(from("192.168.1.1", 700), from("127.0.0.1", 7_000))) {
      gate.prepare(call).join();
      gate.learn(call, Identities.Wanted.numbers(Set.of(1_002), Set.of())).join();
    }
    assertEquals(0, accounts.questions());
    gate.prepare(from("127.0.0.1", 700)).join();
    assertTrue(accounts.questions() > 0);
  }

  @Test
  void groupsAreLookedUpOnlyForExportsThatWantIt() {
    Gatekeeper gate = ofTwoNetworks(TABLE);
    gate.prepare(from("10.1.1.1", 700)).join();
    assertEquals(0, accounts.questions());
    gate.prepare(from("127.0.0.1", 700)).join();
    assertEquals(1, accounts.questions());
  }

  @Test
  void theRootOfAClientNeedsNoGroups() throws Exception {
    accounts.fail(true);
    OnBehalfOf root = caller(true, Squash.NONE, TABLE, memberships(), call(0, 0, 7));
    assertTrue(root.superuser());
    assertEquals(List.of("supergroup", "7"), root.groups());
  }
}
