package org.weft.nfs.locks.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockPeer;
import org.weft.nfs.locks.ModelManager;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Network;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** The asynchronous forms, by bytes, cookies and bounds. */
class MessageFormTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  /** Those from 127.0.0.1 to 127.0.255.255. */
  private static final List<Network> CLIENTS = List.of(Network.parse("127.0.0.0/16"));

  private static final String COOKIE = "00000003 c0ffee00";
  private static final String HOST = "00000002 68310000";
  private static final String OWNER = "00000005 37406831 21000000";
  private static final String PROCESS = "00000007";

  /** Bytes 16 to 25. */
  private static final String RANGE = "0000000000000010 000000000000000a";

  /** What a client was called with. */
  private record Called(LockPeer peer, NlmProcedure procedure, String arguments) {}

  private final VirtualTime time = new VirtualTime(96_230_001);
  private final ModelManager manager = new ModelManager();
  private final List<Called> called = new ArrayList<>();
  private final List<Boolean> grantedAsMessage = new ArrayList<>();

  /** What managers give when a file is opened; waits if it is not complete. */
  private CompletableFuture<Void> managers = CompletableFuture.completedFuture(null);

  /** Completes when a message has left. */
  private CompletableFuture<Void> leaving = CompletableFuture.completedFuture(null);

  private final NodeId root = NodeId.of(1, 1);
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
  private final ClientLocks locks =
      ClientLocks.start(
          (by, file, owner) ->
              managers.thenCompose(there -> manager.session(1).open(by, file, owner)),
          (owner, message, asMessage) -> {
            grantedAsMessage.add(asMessage);
            return CompletableFuture.completedFuture(Optional.empty());
          },
          Watching.NONE,
          new Environment(time, time, time, new Random(1), null, null));
  private final Nlm4 nlm =
      new Nlm4(
          locks,
          new Gatekeeper(
              () ->
                  new Policy(
                      1,
                      Optional.of(handles),
                      new ExportTable(
                          List.of(new Export(1, "/", root, CLIENTS, false, Squash.NONE, true))),
                      ModelGateway.NUMBERS)),
          (peer, procedure, message) -> {
            called.add(
                new Called(
                    peer, procedure, HexFormat.of().formatHex(XdrWriter.bytes(message::write))));
            return leaving;
          });

  private String lockHex() {
    return HOST
        + "00000030"
        + HexFormat.of().formatHex(handles.encode(1, root))
        + OWNER
        + PROCESS
        + RANGE;
  }

  private NlmLock lock(int process) {
    return new NlmLock(
        "host",
        new NetObject(handles.encode(1, root)),
        new NetObject(new byte[] {(byte) process}),
        process,
        new NlmRange(16, 10));
  }

  private byte[] reply(NlmProcedure procedure, byte[] arguments) throws Exception {
    return reply(HERE, procedure, arguments);
  }

  private byte[] reply(InetAddress client, NlmProcedure procedure, byte[] arguments)
      throws Exception {
    RpcCall call =
        new RpcCall(
            1,
            NlmProcedure.PROGRAM,
            NlmProcedure.VERSION,
            procedure.number(),
            new RpcCredential.None(),
            new InetSocketAddress(client, 700),
            new InetSocketAddress(HERE, 2_049),
            CallMark.NONE);
    CompletableFuture<OncReply> reply =
        nlm.procedures()
            .get(procedure.number())
            .read(XdrReader.of(arguments))
            .run(call)
            .toCompletableFuture();
    assertTrue(reply.isDone(), "it does not wait for the result");
    return XdrWriter.bytes(reply.join()::write);
  }

  private void tell(NlmProcedure procedure, NlmMessage message) throws Exception {
    assertEquals(0, reply(procedure, XdrWriter.bytes(message::write)).length);
  }

  private String result(NlmProcedure procedure, String arguments) throws Exception {
    called.clear();
    byte[] bytes = HexFormat.of().parseHex(arguments.replace(" ", ""));
    assertEquals(0, reply(procedure, bytes).length);
    time.runUntil("the client is called", () -> !called.isEmpty());
    assertEquals(1, called.size());
    assertEquals(new LockPeer(HERE, HERE), called.get(0).peer());
    assertEquals(procedure.result(), called.get(0).procedure());
    return called.get(0).arguments();
  }

  private static String hex(String bytes) {
    return bytes.replace(" ", "");
  }

  @Test
  void resultsAreTheseBytes() throws Exception {
    String granted = "00000000";
    String denied = "00000001";
    String lock = "00000000" + "00000001" + lockHex() + "00000000" + "00000003";
    assertEquals(hex(COOKIE + granted), result(NlmProcedure.LOCK_MSG, COOKIE + lock));
    assertEquals(
        hex(COOKIE + granted), result(NlmProcedure.TEST_MSG, COOKIE + "00000001" + lockHex()));
    assertEquals(
        hex(COOKIE + granted),
        result(NlmProcedure.CANCEL_MSG, COOKIE + "00000001" + "00000001" + lockHex()));
    String other = lockHex().replace(OWNER, "00000001 08000000");
    String held = result(NlmProcedure.TEST_MSG, COOKIE + "00000001" + other);
    assertTrue(held.startsWith(hex(COOKIE + denied + "00000001" + PROCESS)), held);
    assertTrue(held.endsWith(hex(RANGE)), held);
    assertEquals(hex(COOKIE + granted), result(NlmProcedure.UNLOCK_MSG, COOKIE + lockHex()));
    assertEquals(
        hex(COOKIE + denied), result(NlmProcedure.GRANTED_MSG, COOKIE + "00000001" + lockHex()));
  }

  @Test
  void repeatedMessageUnderWayIsExecutedOnce() throws Exception {
    managers = new CompletableFuture<>();
    NlmMessage.Unlock unlock = new NlmMessage.Unlock(new NetObject(new byte[] {1}), lock(1));
    for (int i = 0; i < 50; i++) {
      tell(NlmProcedure.UNLOCK_MSG, unlock);
    }
    assertEquals(1, nlm.unanswered());
    managers.complete(null);
    time.runUntil("it is answered", () -> nlm.unanswered() == 0);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, called.size());
    tell(NlmProcedure.UNLOCK_MSG, unlock);
    time.runUntil("a later one is carried out", () -> called.size() == 2);
  }

  @Test
  void aMessageIsUnderWayUntilItsResultHasLeft() throws Exception {
    leaving = new CompletableFuture<>();
    NlmMessage.Unlock unlock = new NlmMessage.Unlock(new NetObject(new byte[] {1}), lock(1));
    tell(NlmProcedure.UNLOCK_MSG, unlock);
    time.runUntil("the client is called", () -> called.size() == 1);
    tell(NlmProcedure.UNLOCK_MSG, unlock);
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, called.size());
    leaving.completeExceptionally(new IllegalStateException("no host answers"));
    assertEquals(0, nlm.unanswered());
  }

  @Test
  void aClientHasNoMoreUnderWayThanItMay() throws Exception {
    managers = new CompletableFuture<>();
    for (int i = 0; i < 3 * UnansweredMessages.MAX_OF_CLIENT; i++) {
      byte[] cookie = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
      tell(NlmProcedure.LOCK_MSG, locking(new NetObject(cookie), 1 + i % 9));
    }
    assertEquals(UnansweredMessages.MAX_OF_CLIENT, nlm.unanswered());
    managers.complete(null);
    time.runUntil("all are answered", () -> nlm.unanswered() == 0);
    assertEquals(UnansweredMessages.MAX_OF_CLIENT, called.size());
  }

  private static InetAddress address(int second, int last) throws Exception {
    return InetAddress.getByAddress(new byte[] {127, (byte) second, 0, (byte) last});
  }

  /** So many, each with a cookie of its own. */
  private void sendMany(InetAddress client, int messages) throws Exception {
    for (int i = 0; i < messages; i++) {
      byte[] cookie = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
      NlmMessage message = new NlmMessage.Unlock(new NetObject(cookie), lock(1));
      byte[] bytes = XdrWriter.bytes(message::write);
      assertEquals(0, reply(client, NlmProcedure.UNLOCK_MSG, bytes).length);
    }
  }

  /** P 6.5f.11. */
  @Test
  void addressWithoutAnExportTakesNoPlaceAndIsNotCalled() throws Exception {
    leaving = new CompletableFuture<>();
    for (int stranger = 1; stranger <= 40; stranger++) {
      sendMany(address(9, stranger), UnansweredMessages.MAX_OF_CLIENT);
    }
    assertEquals(0, nlm.unanswered());
    sendMany(HERE, 1);
    time.runUntil("a client is called", () -> !called.isEmpty());
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(List.of(HERE), called.stream().map(each -> each.peer().client()).toList());
  }

  /** P 6.5f.12: as many as could have all places if each had what one may have. */
  @Test
  void clientsThatAreNotReachedLeavePlacesToOthers() throws Exception {
    leaving = new CompletableFuture<>();
    int greedy = UnansweredMessages.MAX / UnansweredMessages.MAX_OF_CLIENT;
    for (int client = 1; client <= greedy; client++) {
      sendMany(address(0, client), 2 * UnansweredMessages.MAX_OF_CLIENT);
    }
    int taken = nlm.unanswered();
    sendMany(address(0, greedy + 1), 2 * UnansweredMessages.MAX_OF_CLIENT);
    int share = nlm.unanswered() - taken;
    assertTrue(share >= UnansweredMessages.MAX_OF_CLIENT / 4, "its places: " + share);
    for (int client = greedy + 2; client < 120; client++) {
      sendMany(address(0, client), 2 * UnansweredMessages.MAX_OF_CLIENT);
    }
    assertTrue(nlm.unanswered() <= UnansweredMessages.MAX, () -> "all: " + nlm.unanswered());
  }

  private NlmMessage.Lock locking(NetObject cookie, int process) {
    return new NlmMessage.Lock(cookie, true, true, lock(process), false, 1);
  }

  @Test
  void lockAskedByMessageIsGrantedByMessage() throws Exception {
    tell(NlmProcedure.LOCK_MSG, locking(new NetObject(new byte[] {1}), 1));
    time.runUntil("it is locked", () -> called.size() == 1);
    tell(NlmProcedure.LOCK_MSG, locking(new NetObject(new byte[] {2}), 2));
    time.runUntil("another waits", () -> called.size() == 2);
    assertEquals("0000000102000000" + "00000003", called.get(1).arguments());
    tell(NlmProcedure.UNLOCK_MSG, new NlmMessage.Unlock(new NetObject(new byte[] {3}), lock(1)));
    time.runUntil("it is called", () -> !grantedAsMessage.isEmpty());
    time.pass(TimeUnit.SECONDS.toNanos(15));
    assertEquals(List.of(true, true), grantedAsMessage, "again after a while, not at once");
  }
}
