package org.weft.nfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
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
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;
import org.weft.protocol.id.ClusterId;
import org.weft.testkit.sim.VirtualTime;

/** A mount of an export of which it is not known yet where it leads. */
class MountWaitsTest {
  private static final int OK = 0;
  private static final int NOENT = 2;
  private static final int IO = 5;

  private final VirtualTime time = new VirtualTime(1);
  private final ModelFileService files = new ModelFileService(1 << 20);
  private Policy policy = policy(List.of(export(Optional.empty())));
  private final Mnt mount =
      new Mnt(files, new Gatekeeper(() -> policy), new MountList(), time, time);

  private static Export export(Optional<NodeId> root) {
    return new Export(1, "/home", root, List.of(), false, Squash.NONE, true);
  }

  private static Policy policy(List<Export> exports) {
    HandleCodec handles =
        new HandleCodec(new ClusterId("0".repeat(32)), 1, new byte[HandleCodec.KEY_BYTES]);
    return new Policy(1, Optional.of(handles), new ExportTable(exports), ModelGateway.NUMBERS);
  }

  private CompletableFuture<OncReply> mount() throws MalformedXdrException {
    RpcCall call =
        new RpcCall(
            1,
            Mount3.PROGRAM,
            Mount3.VERSION,
            1,
            new RpcCredential.Sys(0, "client", 0, 0, List.of()),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 700),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 2_049),
            CallMark.NONE);
    byte[] path = XdrWriter.bytes(into -> into.string("/home"));
    return mount.read(XdrReader.of(path)).run(call).toCompletableFuture();
  }

  private void pass(int seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static int status(CompletableFuture<OncReply> reply) {
    assertTrue(reply.isDone());
    return ByteBuffer.wrap(XdrWriter.bytes(reply.join()::write)).getInt();
  }

  @Test
  void mountWaitsUntilTheExportDirectoryIsFound() throws Exception {
    CompletableFuture<OncReply> reply = mount();
    pass(10);
    assertFalse(reply.isDone(), "a client that were told IO would not try again");
    policy = policy(List.of(export(Optional.of(files.root()))));
    pass(1);
    assertEquals(OK, status(reply));
  }

  @Test
  void aMountHearsThatTheDirectoryIsMissing() throws Exception {
    CompletableFuture<OncReply> reply = mount();
    pass(1);
    policy = policy(List.of());
    pass(1);
    assertEquals(NOENT, status(reply));
  }

  @Test
  void aMountDoesNotWaitForEver() throws Exception {
    CompletableFuture<OncReply> reply = mount();
    pass(21);
    assertEquals(IO, status(reply));
  }
}
