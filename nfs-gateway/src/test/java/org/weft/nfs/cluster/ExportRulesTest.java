package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import org.weft.protocol.wire.NfsClientRow;
import org.weft.protocol.wire.NfsExportChange;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.NfsIdRow;
import org.weft.protocol.wire.NfsSquash;
import org.weft.testkit.process.Await;

/** Exports as SysMgr has them, enforced by a gateway that runs. */
class ExportRulesTest {
  private static final int JUKEBOX = 10_008;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static NfsDaemon gateway;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    gateway = cluster.gateway();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    cluster.close();
  }

  private static void makeDirectory(String path) throws Exception {
    cluster.client().files().mkdir(WeftPath.of(path), 0777);
  }

  private static Nfs3Client client(int uid) {
    return cluster.connect(gateway.address(), uid, uid);
  }

  private static byte[] mount(Nfs3Client client, String path) {
    Nfs3Client.Result mounted = client.mount(path);
    assertEquals(Nfs3Client.OK, mounted.status);
    return mounted.handle;
  }

  @Test
  void unexportedDirectoryIsNotMounted() throws Exception {
    makeDirectory("/secret");
    assertEquals(Nfs3Client.NOENT, client(0).mount("/secret").status);
  }

  @Test
  void anExportIsForItsClientsAndPortsAlone() throws Exception {
    makeDirectory("/elsewhere");
    cluster.change(
        TestCluster.export(NfsExportChange.ADD_EXPORT, "/elsewhere")
            .addClients("10.1.0.0/16")
            .setInsecure(true));
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.ACCES, client(0).mount("/elsewhere").status);
    cluster.change(
        TestCluster.export(NfsExportChange.SET_EXPORT, "/elsewhere").addClients("127.0.0.0/8"));
    cluster.awaitInForce(gateway);
    byte[] handle = mount(client(0), "/elsewhere");
    cluster.change(TestCluster.export(NfsExportChange.SET_EXPORT, "/elsewhere").setInsecure(false));
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.ACCES, client(0).getAttr(handle).status, "a handle opens nothing");
    assertEquals(Nfs3Client.ACCES, client(0).mount("/elsewhere").status);
  }

  @Test
  void aMountThatBecomesReadOnlyRefusesChanges() throws Exception {
    makeDirectory("/shelf");
    cluster.exportOpen("/shelf");
    cluster.awaitInForce(gateway);
    Nfs3Client client = client(0);
    byte[] handle = mount(client, "/shelf");
    assertEquals(Nfs3Client.OK, client.create(handle, "f", true, Nfs3Client.Set.mode(0644)).status);
    cluster.change(TestCluster.export(NfsExportChange.SET_EXPORT, "/shelf").setReadOnly(true));
    cluster.awaitInForce(gateway);
    assertEquals(
        Nfs3Client.ROFS, client.create(handle, "g", true, Nfs3Client.Set.mode(0644)).status);
    assertEquals(Nfs3Client.OK, client.lookup(handle, "f").status);
  }

  @Test
  void callersActAsTheSquashAndTheNumbersSay() throws Exception {
    makeDirectory("/home");
    cluster.change(
        TestCluster.export(NfsExportChange.ADD_EXPORT, "/home")
            .addClients("127.0.0.1")
            .setInsecure(true));
    ModelGateway.now(
        cluster
            .admin()
            .change(
                ChangeNfsIdRequest.newBuilder()
                    .setUser("root")
                    .setId(NfsIdRow.newBuilder().setNumber(1_000).setName("alice"))
                    .build()));
    cluster.awaitInForce(gateway);
    byte[] handle = mount(client(0), "/home");
    client(0).create(handle, "roots", true, Nfs3Client.Set.mode(0600));
    client(1_000).create(handle, "alices", true, Nfs3Client.Set.mode(0600));
    client(77).create(handle, "number", true, Nfs3Client.Set.mode(0600));
    assertEquals("nobody", owner("/home/roots"), "root is squashed");
    assertEquals("alice", owner("/home/alices"));
    assertEquals("77", owner("/home/number"));
    assertEquals(1_000, client(0).lookup(handle, "alices").node.uid());
    assertEquals(65_534, client(0).lookup(handle, "roots").node.uid());
    byte[] alices = client(0).lookup(handle, "alices").handle;
    assertEquals(Nfs3Client.ACCES, client(77).read(alices, 0, 10).status);
    assertEquals(Nfs3Client.OK, client(1_000).read(alices, 0, 10).status);
    cluster.change(
        TestCluster.export(NfsExportChange.SET_EXPORT, "/home").setSquash(NfsSquash.SQUASH_ALL));
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.ACCES, client(1_000).read(alices, 0, 10).status);
  }

  private static String owner(String path) throws Exception {
    return cluster.client().files().attributes(WeftPath.of(path)).owner();
  }

  @Test
  void handlesOfAnExportThatIsGoneAreStaleForEver() throws Exception {
    makeDirectory("/passing");
    cluster.exportOpen("/passing");
    cluster.awaitInForce(gateway);
    byte[] handle = mount(client(0), "/passing");
    cluster.change(TestCluster.export(NfsExportChange.REMOVE_EXPORT, "/passing"));
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.STALE, client(0).getAttr(handle).status);
    cluster.exportOpen("/passing");
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.STALE, client(0).getAttr(handle).status, "its number is another");
    assertNotEquals(List.of(handle), List.of(mount(client(0), "/passing")));
  }

  @Test
  void exportServesALaterDirectoryAndLosesARemovedOne() throws Exception {
    cluster.exportOpen("/later");
    cluster.awaitInForce(gateway);
    Await.until("the gateway looked", () -> client(0).mount("/later").status == 2);
    makeDirectory("/later");
    Await.until("the directory is found", () -> client(0).mount("/later").status == Nfs3Client.OK);
    byte[] handle = mount(client(0), "/later");
    cluster.client().files().rmdir(WeftPath.of("/later"));
    assertEquals(Nfs3Client.STALE, client(0).getAttr(handle).status);
  }

  /** A handle stays good when its directory is moved; the way up from there must not be. */
  @Test
  void directoryMovedOutOfAnExportLeadsToNothingAbove() throws Exception {
    makeDirectory("/pen");
    makeDirectory("/pen/inner");
    makeDirectory("/pen/inner/deep");
    cluster.exportOpen("/pen");
    cluster.awaitInForce(gateway);
    Nfs3Client client = client(0);
    byte[] inner = client.lookup(mount(client, "/pen"), "inner").handle;
    byte[] deep = client.lookup(inner, "deep").handle;
    assertEquals(Nfs3Client.OK, client.lookup(deep, "..").status);
    assertEquals(Nfs3Client.OK, client.lookup(inner, "..").status);
    cluster.client().files().rename(WeftPath.of("/pen/inner"), WeftPath.of("/escaped"), false);
    assertEquals(Nfs3Client.STALE, client.lookup(inner, "..").status);
    assertEquals(Nfs3Client.STALE, client.lookup(deep, "..").status);
    assertEquals(Nfs3Client.OK, client.getAttr(deep).status);
  }

  @Test
  void takenNfsPortIsNamed() {
    WeftException refused =
        assertThrows(WeftException.class, () -> cluster.gatewayAt(gateway.address()));
    assertEquals(ErrorCode.UNAVAILABLE, refused.code());
    assertTrue(refused.getMessage().contains(gateway.address().toString()), refused.getMessage());
  }

  @Test
  void sysmgrLearnsTheHostsOfTheGateway() throws Exception {
    makeDirectory("/used");
    cluster.exportOpen("/used");
    cluster.awaitInForce(gateway);
    byte[] unused = mount(client(0), "/used");
    assertTrue(unused.length > 0);
    Await.until(
        "SysMgr has heard of it",
        () ->
            ModelGateway.now(cluster.admin().show()).getGatewaysList().stream()
                .map(NfsGatewayRow::getClientsList)
                .anyMatch(
                    clients ->
                        clients.stream()
                            .map(NfsClientRow::getAddress)
                            .anyMatch("127.0.0.1"::equals)));
  }

  @Test
  void writeToAFileWrittenElsewhereGetsJukebox() throws Exception {
    makeDirectory("/busy");
    cluster.exportOpen("/busy");
    cluster.awaitInForce(gateway);
    Nfs3Client client = client(0);
    byte[] handle = mount(client, "/busy");
    try (var out =
        cluster
            .client()
            .files()
            .create(WeftPath.of("/busy/f"), org.weft.client.CreateOptions.newFile())) {
      out.write(new byte[1_000]);
      out.hflush();
      // What is not flushed yet keeps the file: an idle stream gives it back.
      out.write(new byte[1_000]);
      byte[] file = client.lookup(handle, "f").handle;
      int status = client.write(file, 0, Nfs3Client.FILE_SYNC, new byte[10]).status;
      assertEquals(JUKEBOX, status);
    }
    byte[] file = client.lookup(handle, "f").handle;
    Await.until(
        "it is closed",
        () -> client.write(file, 0, Nfs3Client.FILE_SYNC, new byte[10]).status == Nfs3Client.OK);
  }
}
