package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.LockHolder;
import org.weft.client.WeftPath;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.testkit.process.Await;

/** The asynchronous forms: a client asks with messages, and is called with their results. */
class LockMessagesTest {
  @TempDir static Path data;

  private static TestCluster cluster;
  private static FakeLockManager lockManager;
  private static NfsDaemon gateway;

  /** A gateway whose clients have no portmapper. */
  private static NfsDaemon deafClients;

  private int cookies;

  @BeforeAll
  static void start() throws Exception {
    cluster = new TestCluster(data);
    cluster.exportOpen("/");
    lockManager = new FakeLockManager(cluster.rpc(), cluster.system().environment().clock());
    gateway = cluster.gatewayFor(lockManager.portmapPort());
    deafClients = cluster.gatewayFor(1);
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    deafClients.close();
    lockManager.close();
    cluster.close();
  }

  @AfterEach
  void forget() {
    lockManager.silent = false;
    lockManager.heard.clear();
  }

  private static byte[] create(String name) {
    Nfs3Client client = cluster.connect(gateway.address(), 0, 0);
    Nfs3Client.Result made =
        client.create(client.mount("/").handle, name, true, Nfs3Client.Set.mode(0644));
    assertEquals(Nfs3Client.OK, made.status);
    return made.handle;
  }

  private static LockClient host(NfsDaemon at, String host, byte[] file) {
    return LockClient.connect(cluster.rpc(), at.address(), host, 1, file);
  }

  private NetObject cookie() {
    return new NetObject(new byte[] {7, (byte) ++cookies});
  }

  private static NlmMessage.Lock lock(
      LockClient client, NetObject cookie, long from, boolean block) {
    return new NlmMessage.Lock(cookie, block, true, client.lockOf(from, 10), false, 1);
  }

  private static FakeLockManager.Heard answer(
      NlmProcedure procedure, NetObject cookie, NlmStatus status) {
    return new FakeLockManager.Heard(procedure, new NlmMessage.Answer(cookie, status));
  }

  private NlmStatus unlocked(LockClient client, long from) {
    NetObject cookie = cookie();
    client.tell(NlmProcedure.UNLOCK_MSG, new NlmMessage.Unlock(cookie, client.lockOf(from, 10)));
    FakeLockManager.Heard heard = lockManager.next();
    assertEquals(NlmProcedure.UNLOCK_RES, heard.procedure());
    NlmMessage.Answer answer = (NlmMessage.Answer) heard.message();
    assertEquals(cookie, answer.cookie());
    return answer.status();
  }

  private static List<LockHolder> holders(String name) {
    return cluster.client().locks().list(WeftPath.of("/" + name)).join().holders();
  }

  private void askEverything(String name) {
    byte[] file = create(name);
    LockClient a = host(gateway, name + "-a", file);
    LockClient b = host(gateway, name + "-b", file);
    NetObject locks = cookie();
    a.tell(NlmProcedure.LOCK_MSG, lock(a, locks, 0, false));
    assertEquals(answer(NlmProcedure.LOCK_RES, locks, NlmStatus.GRANTED), lockManager.next());
    assertEquals(1, holders(name).size());
    NetObject tests = cookie();
    b.tell(NlmProcedure.TEST_MSG, new NlmMessage.Test(tests, true, b.lockOf(5, 1)));
    FakeLockManager.Heard tested = lockManager.next();
    assertEquals(NlmProcedure.TEST_RES, tested.procedure());
    NlmMessage.Tested found = (NlmMessage.Tested) tested.message();
    assertEquals(tests, found.cookie());
    assertEquals(NlmStatus.DENIED, found.status());
    assertEquals(1, found.holder().orElseThrow().process());
    NetObject free = cookie();
    b.tell(NlmProcedure.TEST_MSG, new NlmMessage.Test(free, true, b.lockOf(50, 1)));
    assertEquals(
        new FakeLockManager.Heard(
            NlmProcedure.TEST_RES,
            new NlmMessage.Tested(free, NlmStatus.GRANTED, Optional.empty())),
        lockManager.next());
    NetObject second = cookie();
    b.tell(NlmProcedure.LOCK_MSG, lock(b, second, 5, false));
    assertEquals(answer(NlmProcedure.LOCK_RES, second, NlmStatus.DENIED), lockManager.next());
    NetObject cancels = cookie();
    b.tell(NlmProcedure.CANCEL_MSG, new NlmMessage.Cancel(cancels, true, true, b.lockOf(5, 10)));
    assertEquals(answer(NlmProcedure.CANCEL_RES, cancels, NlmStatus.GRANTED), lockManager.next());
    NetObject unwanted = cookie();
    a.tell(NlmProcedure.GRANTED_MSG, new NlmMessage.Test(unwanted, true, a.lockOf(0, 10)));
    assertEquals(answer(NlmProcedure.GRANTED_RES, unwanted, NlmStatus.DENIED), lockManager.next());
    assertEquals(NlmStatus.GRANTED, unlocked(a, 0));
    assertEquals(List.of(), holders(name));
  }

  @Test
  void eachMessageIsFollowedByItsResultWithItsCookie() {
    askEverything("asked");
  }

  @Test
  void resultsComeAlsoToALockManagerThatRepliesToNone() {
    lockManager.silent = true;
    askEverything("silent");
    askEverything("silent-2");
  }

  @Test
  void aClientThatWaitedIsCalledWithGrantedMsgUntilItAnswers() {
    byte[] file = create("waited");
    LockClient a = host(gateway, "wa", file);
    LockClient b = host(gateway, "wb", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    NetObject asked = cookie();
    b.tell(NlmProcedure.LOCK_MSG, lock(b, asked, 0, true));
    assertEquals(answer(NlmProcedure.LOCK_RES, asked, NlmStatus.BLOCKED), lockManager.next());
    lockManager.told.clear();
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
    FakeLockManager.Heard first = lockManager.next();
    assertEquals(NlmProcedure.GRANTED_MSG, first.procedure());
    NlmMessage.Test granted = (NlmMessage.Test) first.message();
    assertEquals(b.lockOf(0, 10), granted.lock());
    assertTrue(granted.exclusive());
    assertEquals(first, lockManager.next(), "again, with the same cookie");
    b.tell(NlmProcedure.GRANTED_RES, new NlmMessage.Answer(granted.cookie(), NlmStatus.GRANTED));
    assertEquals(NlmStatus.DENIED, a.exclusive(0, 10));
    assertEquals(List.of(), new ArrayList<>(lockManager.told), "not called with GRANTED");
    assertEquals(NlmStatus.GRANTED, unlocked(b, 0));
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
  }

  @Test
  void aLockThatTheClientDoesNotWantIsUnlocked() {
    byte[] file = create("unwanted");
    LockClient a = host(gateway, "ua", file);
    LockClient b = host(gateway, "ub", file);
    assertEquals(NlmStatus.GRANTED, a.exclusive(0, 10));
    NetObject asked = cookie();
    b.tell(NlmProcedure.LOCK_MSG, lock(b, asked, 0, true));
    assertEquals(answer(NlmProcedure.LOCK_RES, asked, NlmStatus.BLOCKED), lockManager.next());
    assertEquals(NlmStatus.GRANTED, a.unlock(0, 10));
    NlmMessage.Test granted = (NlmMessage.Test) lockManager.next().message();
    b.tell(NlmProcedure.GRANTED_RES, new NlmMessage.Answer(granted.cookie(), NlmStatus.DENIED));
    Await.until("unlocked", () -> holders("unwanted").isEmpty());
  }

  /** What it asks for is done, and the gateway serves others. */
  @Test
  void aClientThatIsNotReachedIsServed() {
    byte[] file = create("unreached");
    LockClient lost = host(deafClients, "lost", file);
    for (int i = 0; i < 500; i++) {
      lost.tell(
          NlmProcedure.LOCK_MSG,
          lock(
              lost.as(1 + i % 4), new NetObject(new byte[] {(byte) i, (byte) (i >> 8)}), i, false));
    }
    Await.until("locked", () -> !holders("unreached").isEmpty());
    LockClient other = host(deafClients, "other", file);
    assertEquals(NlmStatus.GRANTED, other.exclusive(10_000, 1));
    assertEquals(NlmStatus.GRANTED, other.unlock(10_000, 1));
    lost.freeAll();
    Await.until("unlocked", () -> holders("unreached").isEmpty());
  }
}
