package org.weft.nfs.locks.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.exports.Squash;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.ModelManager;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
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

/** A client gives up what it has of an export that is not there for it any more. */
class RemovedExportTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final NetObject COOKIE = new NetObject(new byte[] {1});
  private static final NodeId ROOT = NodeId.of(1, 1);

  private final VirtualTime time = new VirtualTime(96_230_007);
  private final ModelManager manager = new ModelManager();
  private final HandleCodec handles =
      new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
  private final ClientLocks locks =
      ClientLocks.start(
          (by, file, owner) -> manager.session(1).open(by, file, owner),
          (owner, message, asMessage) -> CompletableFuture.completedFuture(Optional.empty()),
          Watching.NONE,
          new Environment(time, time, time, new Random(1), null, null));
  private List<Export> exports = exportedTo("127.0.0.0/8");
  private byte[] handle = handles.encode(1, ROOT);
  private final Nlm4 nlm =
      new Nlm4(
          locks,
          new Gatekeeper(
              () ->
                  new Policy(
                      1, Optional.of(handles), new ExportTable(exports), ModelGateway.NUMBERS)),
          (peer, procedure, message) -> CompletableFuture.completedFuture(null));

  private static List<Export> exportedTo(String network) {
    return List.of(
        new Export(1, "/", ROOT, List.of(Network.parse(network)), false, Squash.NONE, true));
  }

  /** Removed, or narrowed to others. */
  private void takeAway(boolean removed) {
    exports = removed ? List.of() : exportedTo("10.0.0.0/8");
  }

  private NlmLock lock(int process) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    return new NlmLock("host", new NetObject(handle), owner, process, new NlmRange(0, 0));
  }

  private NlmMessage share(int process) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    return new NlmMessage.Share(
        COOKIE, new NlmShare("host", new NetObject(handle), owner, 3, 3), false);
  }

  private NlmStatus call(NlmProcedure procedure, NlmMessage message) throws Exception {
    RpcCall call =
        new RpcCall(
            1,
            NlmProcedure.PROGRAM,
            NlmProcedure.VERSION,
            procedure.number(),
            new RpcCredential.Sys(0, "host", 1_000, 100, List.of()),
            new InetSocketAddress(HERE, 700),
            new InetSocketAddress(HERE, 2_049),
            CallMark.NONE);
    CompletableFuture<OncReply> reply =
        nlm.procedures()
            .get(procedure.number())
            .read(XdrReader.of(XdrWriter.bytes(message::write)))
            .run(call)
            .toCompletableFuture();
    XdrReader result = XdrReader.of(XdrWriter.bytes(time.await(reply)::write));
    return NlmMessage.Answer.read(result).status();
  }

  private NlmStatus lock(int process, boolean block) throws Exception {
    return call(
        NlmProcedure.LOCK, new NlmMessage.Lock(COOKIE, block, true, lock(process), false, 1));
  }

  private NlmStatus unlock(int process) throws Exception {
    return call(NlmProcedure.UNLOCK, new NlmMessage.Unlock(COOKIE, lock(process)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void locksAreUnlockedAndWaitsCancelled(boolean removed) throws Exception {
    assertEquals(NlmStatus.GRANTED, lock(1, false));
    assertEquals(NlmStatus.BLOCKED, lock(2, true));
    takeAway(removed);
    assertEquals(removed ? NlmStatus.STALE_HANDLE : NlmStatus.FAILED, lock(3, false));
    assertEquals(
        NlmStatus.GRANTED,
        call(NlmProcedure.CANCEL, new NlmMessage.Cancel(COOKIE, true, true, lock(2))));
    assertEquals(NlmStatus.GRANTED, unlock(1));
    exports = exportedTo("127.0.0.0/8");
    assertEquals(NlmStatus.GRANTED, lock(3, false), "nothing else is locked, nothing waits");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reservationsAreGivenUp(boolean removed) throws Exception {
    assertEquals(NlmStatus.GRANTED, call(NlmProcedure.SHARE, share(1)));
    assertEquals(NlmStatus.DENIED, call(NlmProcedure.SHARE, share(2)));
    takeAway(removed);
    assertEquals(NlmStatus.GRANTED, call(NlmProcedure.UNSHARE, share(1)));
    exports = exportedTo("127.0.0.0/8");
    assertEquals(NlmStatus.GRANTED, call(NlmProcedure.SHARE, share(2)));
  }

  @Test
  void handlesThatNoGatewayMadeAreRefused() throws Exception {
    assertEquals(NlmStatus.GRANTED, lock(1, false));
    handle = handle.clone();
    handle[handle.length - 1]++;
    assertEquals(NlmStatus.STALE_HANDLE, unlock(1));
  }
}
