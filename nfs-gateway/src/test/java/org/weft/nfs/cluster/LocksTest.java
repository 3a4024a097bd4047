package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import org.weft.testkit.process.Await;

/** Locks of clients of two gateways and of Weft's own client, on one cluster. */
class LocksTest {
  private static final int READ = 1;
  private static final int WRITE = 2;

  @TempDir static Path data;

  private static TestCluster cluster;
  private static FakeLockManager lockManager;
  private static NfsDaemon one;
  private static NfsDaemon two;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    lockManager = new FakeLockManager(cluster.rpc(), cluster.system().environment().clock());
    one = cluster.gatewayFor(lockManager.portmapPort());
    two = cluster.gatewayFor(lockManager.portmapPort());
  }

  @AfterAll
  static void stop() throws Exception {
    one.close();
    two.close();
    lockManager.close();
    cluster.close();
  }

  private static byte[] create(String name, int mode) {
    Nfs3Client client = cluster.connect(one.address(), 0, 0);
    Nfs3Client.Result made =
        client.create(client.mount("/").handle, name, true, Nfs3Client.Set.mode(mode));
    assertEquals(Nfs3Client.OK, made.status);
    return made.handle;
  }

  private static LockClient host(Endpoint gateway, String host, byte[] file) {
    return LockClient.connect(cluster.rpc(), gateway, host, 1, file);
  }

  private static LockedFile javaOwner(String name) throws Exception {
    return cluster
        .client()
        .locks()
        .open(WeftPath.of("/" + name), LockOwner.process("java"))
        .get(60, TimeUnit.SECONDS);
  }

  private static List<LockHolder> holders(String name) {
    return cluster.client().locks().list(WeftPath.of("/" + name)).join().holders();
  }

  @Test
  void gatewaysAndTheJavaApiKeepEachOtherOut() throws Exception {
    byte[] file = create("conflict", 0644);
    LockClient a = host(one.address(), "a", file);
    LockClient b = host(two.address(), "b", file);
    LockedFile java = javaOwner("conflict");
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 100));
    assertEquals(NlmStatus.DENIED, b.exclusive(50, 10));
    assertEquals(NlmStatus.DENIED, a.as(2).shared(99, 1));
    assertEquals(NlmStatus.GRANTED, b.exclusive(100, 0));
    assertFalse(java.tryLock(ByteRange.ALL, LockMode.SHARED).join());
    NlmMessage.Tested tested = b.test(0, 10);
    assertEquals(NlmStatus.DENIED, tested.status());
    assertEquals(1, tested.holder().orElseThrow().process());
    assertEquals(new NlmRange(0, 100), tested.holder().orElseThrow().range());
    assertEquals(NlmStatus.GRANTED, a.test(0, 10).status());
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
    assertEquals(NlmStatus.GRANTED, b.unlock(0, 0));
    assertTrue(java.tryLock(ByteRange.ALL, LockMode.EXCLUSIVE).join());
    assertEquals(NlmStatus.DENIED, a.shared(7, 1));
    java.close().join();
    assertEquals(NlmStatus.GRANTED, a.shared(7, 1));
    String owner = new String(holders("conflict").get(0).owner(), StandardCharsets.UTF_8);
    assertTrue(owner.startsWith("nfs:a:1:"), owner);
    assertEquals(NlmStatus.GRANTED, a.unlock(7, 1));
  }

  @Test
  void grantedCallIsRepeatedUntilTheClientAnswers() throws Exception {
    byte[] file = create("waited", 0644);
    LockClient a = host(one.address(), "wa", file);
    LockClient b = host(two.address(), "wb", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 0));
    assertEquals(NlmStatus.BLOCKED, b.waiting(10, 5));
    assertEquals(NlmStatus.BLOCKED, b.waiting(10, 5), "it asks again, and waits once");
    lockManager.told.clear();
    lockManager.answers.add(NlmStatus.DENIED_GRACE_PERIOD);
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
    Await.until("told twice", () -> lockManager.told.size() == 2);
    NlmMessage.Test first = lockManager.told.poll();
    assertEquals(first, lockManager.told.poll(), "the same cookie and lock");
    assertEquals(b.lockOf(10, 5), first.lock());
    assertTrue(first.exclusive());
    assertEquals(NlmStatus.DENIED, a.exclusive(0, 0));
    assertEquals(NlmStatus.GRANTED, b.unlock(10, 5));
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 0));
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
  }

  @Test
  void aHostThatCancelsGetsNoLock() throws Exception {
    byte[] file = create("cancelled", 0644);
    LockClient a = host(one.address(), "ca", file);
    LockClient b = host(two.address(), "cb", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    assertEquals(NlmStatus.BLOCKED, b.waiting(0, 10));
    assertEquals(NlmStatus.GRANTED, b.cancel(0, 10));
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
    assertEquals(NlmStatus.GRANTED, a.as(2).exclusive(0, 10));
    assertEquals(NlmStatus.GRANTED, a.as(2).unlock(0, 10));
    assertEquals(List.of(), holders("cancelled"));
  }

  @Test
  void aLockThatTheClientDoesNotWantIsUnlocked() throws Exception {
    byte[] file = create("unwanted", 0644);
    LockClient a = host(one.address(), "ua", file);
    LockClient b = host(two.address(), "ub", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    assertEquals(NlmStatus.BLOCKED, b.waiting(0, 10));
    lockManager.told.clear();
    lockManager.answers.add(NlmStatus.DENIED);
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
    Await.until("told", () -> !lockManager.told.isEmpty());
    Await.until("unlocked", () -> holders("unwanted").isEmpty());
  }

  @Test
  void aHostThatGivesUpAWaitKeepsWhatItHadBefore() throws Exception {
    byte[] file = create("kept", 0644);
    LockClient a = host(one.address(), "pa", file);
    LockClient b = host(two.address(), "pb", file);
    assertEquals(NlmStatus.GRANTED, b.shared(0, 10));
    assertEquals(NlmStatus.GRANTED, b.exclusive(10, 10));
    assertEquals(NlmStatus.GRANTED, a.shared(5, 3));
    assertEquals(NlmStatus.BLOCKED, b.waiting(0, 30));
    lockManager.told.clear();
    lockManager.answers.add(NlmStatus.DENIED);
    assertEquals(NlmStatus.GRANTED, a.unlock(5, 3));
    Await.until("told", () -> !lockManager.told.isEmpty());
    Await.until("the rest is unlocked", () -> a.exclusive(20, 10) == NlmStatus.GRANTED);
    assertEquals(NlmStatus.GRANTED, a.shared(0, 10));
    assertEquals(NlmStatus.DENIED, a.exclusive(0, 1));
    assertEquals(NlmStatus.DENIED, a.shared(10, 10));
    a.freeAll();
    b.freeAll();
  }

  @Test
  void locksOfAKilledGatewayAreKeptForTheirOwners() throws Exception {
    byte[] file = create("killed", 0644);
    byte[] second = create("killed-2", 0644);
    LockClient other = host(two.address(), "ko", file);
    try (GatewayJvm gateway = GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), 0)) {
      LockClient a = host(gateway.address(), "ka", file);
      assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
      assertEquals(NlmStatus.GRANTED, a.on(second).exclusive(0, 10));
      gateway.kill();
    }
    assertEquals(NlmStatus.DENIED, other.exclusive(0, 10));
    LockClient successor = host(two.address(), "ka", file);
    assertEquals(NlmStatus.GRANTED, successor.reclaim(0, 10));
    assertEquals(NlmStatus.DENIED, other.exclusive(0, 10));
    assertFalse(holders("killed").get(0).kept());
    assertEquals(NlmStatus.GRANTED, successor.on(second).unlock(0, 10));
    assertEquals(List.of(), holders("killed-2"), "unlocked although it was not reclaimed");
    assertEquals(NlmStatus.GRANTED, successor.unlock(0, 10));
    assertEquals(NlmStatus.GRANTED, other.exclusive(0, 10));
    assertEquals(NlmStatus.GRANTED, other.unlock(0, 10));
  }

  /** Longer than its lease: the manager ends its session, and keeps what it held. */
  @Test
  void aGatewayThatStoodStillTakesItsLocksAgain() throws Exception {
    byte[] file = create("stood", 0644);
    try (GatewayJvm gateway = GatewayJvm.start(cluster.sysmgr(), cluster.joinToken(), 0)) {
      LockClient a = host(gateway.address(), "still", file);
      assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
      assertEquals(NlmStatus.GRANTED, a.shared(20, 10));
      gateway.standStill();
      Await.until("the session has ended", () -> holders("stood").get(0).kept());
      gateway.goOn();
      Await.until("reclaimed", () -> holders("stood").stream().noneMatch(LockHolder::kept));
      assertEquals(2, holders("stood").size());
      // It closes connections whose calls may have waited while it stood still.
      Await.until("served after it connects anew", () -> isUnlocked(gateway, file));
      assertEquals(List.of(), holders("stood"));
    }
  }

  private boolean isUnlocked(GatewayJvm gateway, byte[] file) {
    try {
      return host(gateway.address(), "still", file).unlock(0, 0) == NlmStatus.GRANTED;
    } catch (AssertionError e) {
      assertTrue(e.getMessage().contains("has ended"), () -> "not for a closed connection: " + e);
      return false;
    }
  }

  @Test
  void aClientThatStartsAgainHasNoLocks() throws Exception {
    byte[] file = create("started", 0644);
    LockClient a = host(one.address(), "sa", file);
    LockClient b = host(one.address(), "sb", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    assertEquals(NlmStatus.GRANTED, b.exclusive(10, 10));
    a.started(1);
    assertEquals(2, holders("started").size(), "a late notice of the state that it locked in");
    a.started(3);
    assertEquals(1, holders("started").size());
    b.freeAll();
    assertEquals(List.of(), holders("started"));
  }

  /** Linux tells by UDP alone that it has started, which is not heard. */
  @Test
  void lockInANewerStateDropsTheOldLocks() throws Exception {
    byte[] file = create("newer", 0644);
    LockClient a = host(one.address(), "na", file);
    LockClient b = host(one.address(), "nb", file);
    assertEquals(NlmStatus.GRANTED, a.inState(3, 0, 10));
    assertEquals(NlmStatus.GRANTED, a.as(2).inState(3, 10, 10));
    assertEquals(NlmStatus.GRANTED, b.inState(5, 20, 10));
    assertEquals(NlmStatus.GRANTED, a.inState(5, 30, 10));
    Await.until(
        "one of each",
        () ->
            holders("newer").stream()
                .map(each -> each.range().from())
                .sorted()
                .toList()
                .equals(List.of(20L, 30L)));
    a.freeAll();
    b.freeAll();
  }

  @Test
  void rightsAndExportsAreAskedFor() throws Exception {
    byte[] file = create("rights", 0600);
    LockClient a = host(one.address(), "ra", file);
    assertEquals(NlmStatus.FAILED, a.user(1234).shared(0, 10));
    assertEquals(NlmStatus.FAILED, a.user(1234).share(0, 1));
    byte[] forged = file.clone();
    forged[40]++;
    assertEquals(NlmStatus.STALE_HANDLE, a.on(forged).shared(0, 10));
    assertEquals(NlmStatus.STALE_HANDLE, a.on(forged).share(0, 1));
    assertEquals(NlmStatus.STALE_HANDLE, a.on(forged).unshare());
    assertEquals(NlmStatus.TOO_LARGE, a.shared(-1, 10));
    Nfs3Client client = cluster.connect(one.address(), 0, 0);
    assertEquals(Nfs3Client.OK, client.remove(client.mount("/").handle, "rights").status);
    assertEquals(NlmStatus.STALE_HANDLE, a.shared(0, 10));
  }

  @Test
  void shareDenialHoldsAtAllGateways() throws Exception {
    byte[] file = create("denied", 0644);
    LockClient a = host(one.address(), "da", file);
    LockClient b = host(two.address(), "db", file);
    assertEquals(NlmStatus.GRANTED, a.share(WRITE, READ));
    assertEquals(NlmStatus.GRANTED, b.share(0, READ), "only writing is denied");
    assertEquals(NlmStatus.DENIED, b.share(0, READ | WRITE));
    assertEquals(NlmStatus.DENIED, a.as(2).share(READ, 0), "both have it open for reading");
    assertEquals(NlmStatus.GRANTED, b.exclusive(0, 0), "locks of bytes are not concerned");
    assertEquals(NlmStatus.GRANTED, b.unlock(0, 0));
    assertEquals(List.of(), holders("denied"));
    assertEquals(NlmStatus.GRANTED, a.unshare());
    assertEquals(NlmStatus.GRANTED, b.share(READ, READ | WRITE), "in the place of what it had");
    assertEquals(NlmStatus.DENIED, a.share(0, READ));
    assertEquals(NlmStatus.GRANTED, b.share(0, WRITE));
    assertEquals(NlmStatus.GRANTED, a.share(0, READ));
    assertEquals(NlmStatus.DENIED, b.share(READ, WRITE));
    assertEquals(NlmStatus.DENIED, a.share(WRITE, READ), "what was refused changes nothing");
    b.freeAll();
    assertEquals(NlmStatus.GRANTED, a.share(WRITE, READ));
    assertEquals(NlmStatus.GRANTED, a.unshare());
    assertEquals(NlmStatus.GRANTED, a.unshare(), "nothing is reserved");
  }

  @Test
  void forgottenHostHoldsNoLocks() throws Exception {
    byte[] file = create("forgotten", 0644);
    LockClient gone = host(one.address(), "gone", file);
    LockClient other = host(two.address(), "heir", file);
    assertEquals(NlmStatus.GRANTED, gone.exclusive(0, 100));
    assertEquals(NlmStatus.DENIED, other.exclusive(0, 100));
    NfsForgetReply done =
        ModelGateway.now(
            cluster
                .admin()
                .forget(NfsForgetRequest.newBuilder().setUser("root").setHost("gone").build()));
    assertEquals(0, done.getRemoved(), "its gateway lives");
    Await.until("it is unlocked", () -> other.exclusive(0, 100) == NlmStatus.GRANTED);
    assertEquals(NlmStatus.DENIED, gone.exclusive(0, 100));
    assertEquals(NlmStatus.GRANTED, other.unlock(0, 100));
  }
}
