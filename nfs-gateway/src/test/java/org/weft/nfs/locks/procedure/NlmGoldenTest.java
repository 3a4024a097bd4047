package org.weft.nfs.locks.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.system.SystemEnvironment;

/** Calls and replies written down by hand after RFC 1813 section 6.1.2, byte by byte. */
class NlmGoldenTest {
  private static final String COOKIE = "00000003 c0ffee00";
  private static final String HOST = "00000002 68310000";
  private static final String OWNER = "00000005 37406831 21000000";
  private static final String PROCESS = "00000007";

  /** Bytes 16 to 25. */
  private static final String RANGE = "0000000000000010 000000000000000a";

  private static final String GRACE = "00000004";
  private static final String READ_ONLY = "00000006";
  private static final String STALE = "00000007";
  private static final String FAILED = "00000009";

  private final NodeId root = NodeId.of(1, 1);
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);

  private String handle() {
    return "00000030" + HexFormat.of().formatHex(handles.encode(1, root));
  }

  private String lock() {
    return HOST + handle() + OWNER + PROCESS + RANGE;
  }

  private String answer(boolean readOnly, int procedure, String arguments)
      throws MalformedXdrException {
    Export export = new Export(1, "/", root, List.of(), readOnly, Squash.NONE, true);
    Gatekeeper gate =
        new Gatekeeper(
            () ->
                new Policy(
                    1,
                    Optional.of(handles),
                    new ExportTable(List.of(export)),
                    ModelGateway.NUMBERS));
    InetAddress here = InetAddress.getLoopbackAddress();
    RpcCall call =
        new RpcCall(
            1,
            NlmProcedure.PROGRAM,
            NlmProcedure.VERSION,
            procedure,
            new RpcCredential.None(),
            new InetSocketAddress(here, 700),
            new InetSocketAddress(here, 2_049),
            CallMark.NONE);
    try (SystemEnvironment system = SystemEnvironment.create();
        ClientLocks locks =
            ClientLocks.start(
                (by, file, owner) ->
                    CompletableFuture.failedFuture(new WeftException(ErrorCode.UNAVAILABLE, "")),
                (owner, message, asMessage) ->
                    CompletableFuture.completedFuture(Optional.of(NlmStatus.GRANTED)),
                Watching.NONE,
                system.environment())) {
      byte[] bytes = HexFormat.of().parseHex(arguments.replace(" ", ""));
      var reply =
          new Nlm4(locks, gate, NlmGoldenTest::notCalled)
              .procedures()
              .get(procedure)
              .read(XdrReader.of(bytes))
              .run(call)
              .toCompletableFuture()
              .join();
      return HexFormat.of().formatHex(XdrWriter.bytes(reply::write));
    }
  }

  private static CompletableFuture<Void> notCalled(
      LockPeer peer, NlmProcedure procedure, NlmMessage message) {
    throw new AssertionError(procedure + " for " + peer);
  }

  private static String reply(String status) {
    return (COOKIE + status).replace(" ", "");
  }

  @Test
  void aLockIsAskedForAgainWhileTheClusterIsAway() throws Exception {
    String wait = "00000000";
    String exclusive = "00000001";
    String notAgain = "00000000";
    String state = "00000003";
    String lock = COOKIE + wait + exclusive + lock() + notAgain + state;
    assertEquals(reply(GRACE), answer(false, 2, lock));
    assertEquals(reply(READ_ONLY), answer(true, 2, lock));
  }

  @Test
  void testCancelAndUnlock() throws Exception {
    assertEquals(reply(GRACE), answer(false, 1, COOKIE + "00000001" + lock()));
    assertEquals(reply("00000000"), answer(false, 3, COOKIE + "00000001" + "00000001" + lock()));
    assertEquals(reply(GRACE), answer(true, 4, COOKIE + lock()));
  }

  @Test
  void aLockOfAnotherServerIsNotWanted() throws Exception {
    assertEquals(reply("00000001"), answer(false, 5, COOKIE + "00000001" + lock()));
  }

  @Test
  void unrequestedResultsAreAccepted() throws Exception {
    for (int result = 12; result <= 15; result++) {
      assertEquals("", answer(false, result, COOKIE + "00000000"));
    }
    assertEquals("", answer(false, 11, COOKIE + "00000000"));
    assertEquals("", answer(false, 11, COOKIE + "00000001" + "00000001" + PROCESS + OWNER + RANGE));
  }

  @Test
  void aHandleThatIsNotGenuineIsStale() throws Exception {
    String forged = lock().replace(handle(), handle().substring(0, 102) + "ff");
    assertEquals(reply(STALE), answer(false, 4, COOKIE + forged));
  }

  private String share(String handle) {
    return COOKIE + HOST + handle + OWNER + "00000001" + "00000002" + "00000000";
  }

  @Test
  void aShareIsAskedForAgainWhileTheClusterIsAway() throws Exception {
    assertEquals(reply(GRACE) + "00000000", answer(false, 20, share(handle())));
    assertEquals(reply(GRACE) + "00000000", answer(false, 21, share(handle())));
  }

  @Test
  void aFileOfAReadOnlyExportIsNotOpenedForWriting() throws Exception {
    assertEquals(reply(READ_ONLY) + "00000000", answer(true, 20, share(handle())));
    assertEquals(reply(GRACE) + "00000000", answer(true, 21, share(handle())));
  }

  @Test
  void aShareOfAHandleThatIsNotGenuineIsStale() throws Exception {
    String forged = handle().substring(0, 102) + "ff";
    assertEquals(reply(STALE) + "00000000", answer(false, 20, share(forged)));
    assertEquals(reply(STALE) + "00000000", answer(false, 21, share(forged)));
  }

  @Test
  void freeAllHasAnEmptyReply() throws Exception {
    assertEquals("", answer(false, 23, HOST + "00000003"));
  }
}
