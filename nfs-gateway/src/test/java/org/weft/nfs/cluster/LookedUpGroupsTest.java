package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.AttributeChanges;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.host.FakeAccounts;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.protocol.wire.ChangeNfsGroupsRequest;
import org.weft.protocol.wire.NfsExportChange;
import org.weft.testkit.process.Await;

/** Groups and names that a running gateway looks up: by the cluster's table, and by its host. */
class LookedUpGroupsTest {
  private static final int BOB = 1_001;
  private static final int CAROL = 1_002;
  private static final int DAVE = 1_003;
  private static final int STAFF = 200;

  @TempDir static Path data;

  private static final FakeAccounts HOST = new FakeAccounts();

  private static TestCluster cluster;
  private static NfsDaemon gateway;

  @BeforeAll
  static void start() throws Exception {
    Integer[] many = new Integer[30];
    for (int i = 0; i < many.length; i++) {
      many[i] = 5_000 + i;
    }
    HOST.user(BOB, "bob", many).user(CAROL, "carol", STAFF).user(DAVE, "dave", many);
    HOST.group(STAFF, "staff").group(5_029, "last");
    cluster = new TestCluster(data);
    gateway = cluster.gatewayOn(HOST);
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    cluster.close();
  }

  /** A directory that its group alone may enter. */
  private static void makeDirectory(String path, String group) throws Exception {
    WeftPath directory = WeftPath.of(path);
    cluster.client().files().mkdir(directory, 0770);
    cluster.client().files().setAttributes(directory, AttributeChanges.none().withGroup(group));
  }

  private static byte[] export(String path, boolean manageGids) {
    cluster.change(
        TestCluster.export(NfsExportChange.ADD_EXPORT, path)
            .addClients("127.0.0.0/8")
            .setInsecure(true)
            .setManageGids(manageGids));
    cluster.awaitInForce(gateway);
    Nfs3Client.Result mounted = cluster.connect(gateway.address(), 0, 0).mount(path);
    assertEquals(Nfs3Client.OK, mounted.status);
    return mounted.handle;
  }

  private static int create(int uid, byte[] directory, String name, Integer... gids) {
    return cluster
        .connect(gateway.address(), uid, 100, gids)
        .create(directory, name, true, Nfs3Client.Set.mode(0644))
        .status;
  }

  private static void groupsOf(String user, String... groups) {
    ModelGateway.now(
        cluster
            .admin()
            .change(
                ChangeNfsGroupsRequest.newBuilder()
                    .setUser("root")
                    .setMember(user)
                    .addAllOf(java.util.List.of(groups))
                    .build()));
    cluster.awaitInForce(gateway);
  }

  @Test
  void aUserHasMoreGroupsThanACallCanState() throws Exception {
    makeDirectory("/beyond", "last");
    byte[] stated = export("/beyond", false);
    assertEquals(Nfs3Client.ACCES, create(BOB, stated, "a"));
    cluster.change(TestCluster.export(NfsExportChange.SET_EXPORT, "/beyond").setManageGids(true));
    cluster.awaitInForce(gateway);
    assertEquals(Nfs3Client.OK, create(BOB, stated, "a"));
    assertEquals(Nfs3Client.ACCES, create(CAROL, stated, "b"));
    assertEquals(Nfs3Client.ACCES, create(CAROL, stated, "b", 5_029), "what she states counts not");
  }

  @Test
  void clusterTableGoesBeforeTheHostsNames() throws Exception {
    makeDirectory("/table", "ops");
    byte[] handle = export("/table", true);
    assertEquals(Nfs3Client.ACCES, create(CAROL, handle, "a"));
    groupsOf("carol", "ops");
    assertEquals(Nfs3Client.OK, create(CAROL, handle, "a"));
    groupsOf("carol");
    assertEquals(Nfs3Client.ACCES, create(CAROL, handle, "b"));
  }

  @Test
  void ownersShowByTheHostsNumbersAndAreMadeByItsNames() throws Exception {
    makeDirectory("/named", "staff");
    cluster
        .client()
        .files()
        .setAttributes(WeftPath.of("/named"), AttributeChanges.none().withOwner("carol"));
    byte[] handle = export("/named", true);
    Nfs3Client carol = cluster.connect(gateway.address(), CAROL, STAFF);
    Nfs3Client.Result directory = carol.getAttr(handle);
    assertEquals(CAROL, directory.node.uid());
    assertEquals(STAFF, directory.node.gid());
    assertEquals(
        Nfs3Client.OK, carol.create(handle, "hers", true, Nfs3Client.Set.mode(0600)).status);
    assertEquals(
        "carol", cluster.client().files().find(WeftPath.of("/named/hers")).orElseThrow().owner());
  }

  /** A call waits for the host on no event loop, and those of others go on. */
  @Test
  void silentHostDelaysNoOtherCaller() throws Exception {
    makeDirectory("/slow", "last");
    byte[] handle = export("/slow", true);
    assertEquals(Nfs3Client.OK, create(BOB, handle, "known"));
    CountDownLatch silence = new CountDownLatch(1);
    HOST.silentUntil(silence);
    CompletableFuture<Integer> waiting =
        CompletableFuture.supplyAsync(() -> create(DAVE, handle, "waits"));
    for (int i = 0; i < 10; i++) {
      assertEquals(Nfs3Client.OK, create(BOB, handle, "goes-on-" + i));
    }
    assertEquals(Nfs3Client.JUKEBOX, waiting.get(60, TimeUnit.SECONDS), "it waits not for ever");
    silence.countDown();
    Await.until("the host speaks", () -> create(DAVE, handle, "waits") == Nfs3Client.OK);
  }

  @Test
  void aHostThatFailsMakesClientsWaitAndIsNamed() throws Exception {
    makeDirectory("/failing", "last");
    byte[] handle = export("/failing", true);
    HOST.user(1_004, "erin", 5_029);
    HOST.fail(true);
    try {
      assertEquals(Nfs3Client.JUKEBOX, create(1_004, handle, "a"));
      Await.until(
          "the status says why",
          () ->
              ModelGateway.now(cluster.admin().show()).getGatewaysList().stream()
                  .flatMap(row -> row.getProblemsList().stream())
                  .anyMatch(problem -> problem.contains("cannot be looked up on this host")));
    } finally {
      HOST.fail(false);
    }
    Await.until("the host is asked again", () -> create(1_004, handle, "a") == Nfs3Client.OK);
    assertTrue(HOST.questions() > 0);
  }
}
