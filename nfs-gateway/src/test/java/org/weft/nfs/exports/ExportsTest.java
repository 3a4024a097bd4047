package org.weft.nfs.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Network;

/** Which clients may use which export, and as which users. */
class ExportsTest {
  private static final NodeId ROOT = NodeId.of(1, 1);

  @ParameterizedTest
  @CsvSource({
    "10.1.0.0/16, 10.1.255.255, true",
    "10.1.0.0/16, 10.2.0.0, false",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.4, false",
    "10.0.0.0/9, 10.127.0.1, true",
    "10.0.0.0/9, 10.128.0.1, false",
    "0.0.0.0/0, 192.0.2.1, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "0.0.0.0/0, ::1, false",
    "::/0, 192.0.2.1, false",
  })
  void aNetworkContainsWhatSharesItsPrefix(String network, String address, boolean contains)
      throws Exception {
    assertEquals(contains, Network.parse(network).contains(InetAddress.getByName(address)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "host.example", "10.1.0.0/33", "10.1.0.0/x", "10.1.0.0/-1", "/8", "10.1/16"})
  void invalidNetworkIsRefusedByName(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Network.parse(text));
    assertFalse(refused.getMessage().isEmpty());
  }

  private static Export export(int id, String path, Squash squash, boolean insecure) {
    return new Export(
        id, path, ROOT, List.of(Network.parse("10.0.0.0/8")), false, squash, insecure);
  }

  @Test
  void aPathLeadsIntoTheDeepestExport() {
    ExportTable table =
        new ExportTable(
            List.of(
                export(1, "/", Squash.ROOT, false),
                export(2, "/a", Squash.ROOT, false),
                export(3, "/a/b", Squash.ROOT, false)));
    assertEquals("2 c/d", found(table, "/a/c/d"));
    assertEquals("3 ", found(table, "/a/b"));
    assertEquals("3 ", found(table, "//a/b/"));
    assertEquals("3 c", found(table, "/a/b/c/"));
    assertEquals("1 ab", found(table, "/ab"));
    assertEquals("1 ", found(table, "/"));
    assertTrue(table.containing("a").isEmpty());
    ExportTable noRoot = new ExportTable(List.of(export(2, "/a", Squash.ROOT, false)));
    assertTrue(noRoot.containing("/").isEmpty());
    assertTrue(noRoot.containing("/ab").isEmpty());
  }

  private static String found(ExportTable table, String path) {
    ExportTable.Match match = table.containing(path).orElseThrow();
    return match.export().id() + " " + match.below();
  }

  @Test
  void twoExportsHaveNeitherOnePathNorOneId() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ExportTable(
                List.of(export(1, "/a", Squash.ROOT, true), export(1, "/b", Squash.ROOT, true))));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new ExportTable(
                List.of(export(1, "/a", Squash.ROOT, true), export(2, "/a", Squash.ROOT, true))));
    assertThrows(IllegalArgumentException.class, () -> export(1, "/a/", Squash.ROOT, true));
  }

  private static final NumberTable NUMBERS =
      new NumberTable(
          Map.of(0, "root", 1_000, "alice", 1_002, "hdfs", 65_534, "nobody"),
          Map.of(0, "root", 100, "users", 500, "supergroup", 65_534, "nogroup"));

  private static OnBehalfOf caller(Squash squash, RpcCredential credential) throws Exception {
    Export export = export(1, "/", squash, false);
    Gatekeeper gate = gate(export);
    return gate.enter(gate.handle(export, ROOT), call(credential, "10.1.1.1", 1_023)).by().caller();
  }

  private static Gatekeeper gate(Export export) {
    HandleCodec handles =
        new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
    Policy policy =
        new Policy(1, Optional.of(handles), new ExportTable(List.of(export)), NUMBERS, "hdfs");
    return new Gatekeeper(() -> policy);
  }

  @Test
  void handlesWaitUntilTheirExportDirectoryIsKnown() throws Exception {
    Export known = export(1, "/", Squash.ROOT, true);
    Export unknown =
        new Export(1, "/", Optional.empty(), known.clients(), false, Squash.ROOT, true);
    byte[] handle = gate(known).handle(known, ROOT);
    RpcCall call = call(sys(1_000, 100), "10.1.1.1", 1_023);
    FileException later =
        assertThrows(FileException.class, () -> gate(unknown).enter(handle, call));
    assertEquals(FileError.TRY_LATER, later.error());
  }

  /**
   * A client that is told to come later asks under another number. So the repeat of a change that a
   * dead gateway did would be refused for that change itself.
   */
  @Test
  void changeGoesOnWithAnUnknownExportDirectory() throws Exception {
    Export known = export(1, "/", Squash.ROOT, true);
    Export unknown =
        new Export(1, "/", Optional.empty(), known.clients(), false, Squash.ROOT, true);
    byte[] handle = gate(known).handle(known, ROOT);
    RpcCall call = call(sys(1_000, 100), "10.1.1.1", 1_023);
    assertEquals(ROOT, gate(unknown).enterToChange(handle, call).file());
    Export readOnly =
        new Export(1, "/", Optional.empty(), known.clients(), true, Squash.ROOT, true);
    FileException refused =
        assertThrows(FileException.class, () -> gate(readOnly).enterToChange(handle, call));
    assertEquals(FileError.READ_ONLY, refused.error());
  }

  @Test
  void withoutAnyExportNoHandleIsGenuine() throws Exception {
    Export known = export(1, "/", Squash.ROOT, true);
    byte[] handle = gate(known).handle(known, ROOT);
    RpcCall call = call(sys(1_000, 100), "10.1.1.1", 1_023);
    FileException refused =
        assertThrows(
            FileException.class, () -> new Gatekeeper(() -> Policy.NOTHING).enter(handle, call));
    assertEquals(FileError.BAD_HANDLE, refused.error());
  }

  private static RpcCall call(RpcCredential credential, String client, int port) throws Exception {
    return new RpcCall(
        1,
        2,
        3,
        4,
        credential,
        new InetSocketAddress(InetAddress.getByName(client), port),
        new InetSocketAddress(2_049),
        new CallMark(5, 6, 7));
  }

  private static RpcCredential sys(int uid, int gid, Integer... gids) {
    return new RpcCredential.Sys(0, "client", uid, gid, List.of(gids));
  }

  @Test
  void exportDecidesTheCallersIdentity() throws Exception {
    OnBehalfOf nobody = new OnBehalfOf("nobody", List.of("nogroup"), false);
    assertEquals(new OnBehalfOf("root", List.of("root"), true), caller(Squash.NONE, sys(0, 0)));
    assertEquals(nobody, caller(Squash.ROOT, sys(0, 0, 100)));
    assertEquals(nobody, caller(Squash.ALL, sys(1_000, 100)));
    assertEquals(nobody, caller(Squash.NONE, new RpcCredential.None()));
    assertEquals(
        new OnBehalfOf("alice", List.of("users", "nogroup", "77"), false),
        caller(Squash.ROOT, sys(1_000, 100, 0, 77, 100)),
        "group 0 is squashed, too");
    assertEquals(nobody, caller(Squash.ROOT, sys(1_002, 100)), "the superuser's name, too");
    assertEquals(
        new OnBehalfOf("hdfs", List.of("users"), false), caller(Squash.NONE, sys(1_002, 100)));
    assertEquals(
        new OnBehalfOf("alice", List.of("users", "nogroup"), false),
        caller(Squash.ROOT, sys(1_000, 100, 500)));
    assertEquals(
        new OnBehalfOf("4294967295", List.of("root"), false), caller(Squash.NONE, sys(-1, 0)));
  }

  @Test
  void otherNetworksAndOpenPortsAreRefused() throws Exception {
    Export closed = export(1, "/", Squash.ROOT, false);
    Export open = export(2, "/open", Squash.ROOT, true);
    RpcCredential credential = sys(1_000, 100);
    assertTrue(closed.admits(call(credential, "10.9.9.9", 1_023).client()));
    assertFalse(closed.admits(call(credential, "10.9.9.9", 1_024).client()));
    assertTrue(open.admits(call(credential, "10.9.9.9", 1_024).client()));
    assertFalse(open.admits(call(credential, "11.9.9.9", 1_023).client()));
  }

  @Test
  void unknownNamesMapToNobodyAndUnknownNumbersStay() {
    assertEquals(1_000, NUMBERS.uid("alice"));
    assertEquals("1001", NUMBERS.user(1_001));
    assertEquals(1_001, NUMBERS.uid("1001"));
    assertEquals(-1, NUMBERS.uid("4294967295"));
    assertEquals(Identities.NOBODY, NUMBERS.uid("4294967296"));
    assertEquals(Identities.NOBODY, NUMBERS.uid("01001"));
    assertEquals(Identities.NOBODY, NUMBERS.gid("strangers"));
    NumberTable twice = new NumberTable(Map.of(5, "a", 3, "a"), Map.of());
    assertEquals(3, twice.uid("a"));
    assertEquals("a", twice.user(5));
  }
}
