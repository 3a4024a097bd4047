package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.nfs.weft.WeftFileService;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.node.ClientNode;

/**
 * What clients of NFS rely on when they throw away bytes that they have sent: the write verifier
 * and COMMIT (RFC 1813 3.3.7 and 3.3.21). Also, a handle is no right that can be guessed.
 */
class GatewayPromisesTest {
  private static final long UNSTABLE_BYTES = 1 << 20;
  private static final byte[] BYTES = Stage.bytes(1, 50_000);
  private static final OnBehalfOf ROOT = new OnBehalfOf("root", List.of("root"), true);

  private final Stage stage = Stage.boot();
  private int requests;

  /** A gateway's process and what serves files in it. */
  private record Gateway(ClientNode node, WeftFileService service) {}

  private Gateway gateway() throws WeftException {
    ClientNode node = stage.gateway();
    return new Gateway(
        node,
        new WeftFileService(
            () -> Optional.of(node.filesById()), UNSTABLE_BYTES, node.environment()));
  }

  private Request by() {
    requests++;
    return new Request(
        ROOT,
        new Request.Origin(
            InetAddress.getLoopbackAddress(), requests, new RequestMark(requests, requests, 1)));
  }

  private <T> T call(CompletionStage<T> stage) throws WeftException {
    return this.stage.call(stage.toCompletableFuture());
  }

  private NodeId file(Gateway by) throws Exception {
    NodeId root = root(by);
    CreateWish guarded = new CreateWish.Guarded(AttributesWish.NOTHING);
    return call(by.service.create(by(), root, new FileName("f"), guarded)).node().id();
  }

  private NodeId root(Gateway by) throws WeftException {
    return stage.call(by.node.filesById().resolve("/")).id();
  }

  private FileReply.Written unstable(Gateway by, NodeId file) throws WeftException {
    Payload bytes = Payload.of(ByteBuffer.wrap(BYTES.clone()));
    return call(by.service.write(by(), file, 0, bytes, Stability.UNSTABLE));
  }

  private byte[] read(Gateway by, NodeId file) throws WeftException {
    Answers.BytesRead read = call(by.service.read(by(), file, 0, 2 * BYTES.length));
    ByteBuffer all = ByteBuffer.allocate(read.bytes().lengthBytes());
    read.bytes().buffers().forEach(each -> all.put(each.duplicate()));
    read.bytes().release();
    return all.array();
  }

  @Test
  void committedBytesSurviveTheGateway() throws Exception {
    Gateway one = gateway();
    NodeId file = file(one);
    FileReply.Written written = unstable(one, file);
    assertEquals(Stability.UNSTABLE, written.stability(), "else a commit has nothing to do");
    FileReply.Committed committed = call(one.service.commit(by(), file, 0, 0));
    assertEquals(written.verifier(), committed.verifier());
    one.node.kill();
    assertArrayEquals(BYTES, read(gateway(), file));
  }

  /** The client keeps the bytes, and sees by the verifier that it must send them again. */
  @Test
  void anotherProcessHasAnotherVerifier() throws Exception {
    Gateway one = gateway();
    NodeId file = file(one);
    FileReply.Written written = unstable(one, file);
    one.node.kill();
    Gateway next = gateway();
    assertNotEquals(
        written.verifier(), call(next.service.commit(by(), file, 0, 0)).verifier(), "of COMMIT");
    assertNotEquals(written.verifier(), unstable(next, file).verifier(), "of WRITE");
  }

  @Test
  void theVerifierIsAnotherOneOnceAnsweredBytesAreLost() throws Exception {
    Gateway one = gateway();
    NodeId file = file(one);
    FileReply.Written written = unstable(one, file);
    one.node.pause();
    // Its session ends, and the file is taken from it.
    stage.world().pass(30_000);
    one.node.resume();
    assertNotEquals(
        written.verifier(), call(one.service.commit(by(), file, 0, 0)).verifier(), "of COMMIT");
  }

  @Test
  void aHandleThatNoGatewayMadeNamesNothing() throws Exception {
    byte[] key = Stage.bytes(2, HandleCodec.KEY_BYTES);
    HandleCodec handles = new HandleCodec(new ClusterId("0123456789abcdef".repeat(2)), 1, key);
    byte[] genuine = handles.encode(3, NodeId.of(1, 4711));
    assertEquals(NodeId.of(1, 4711), handles.decode(genuine).file());
    // Its export, its volume and its object.
    for (int at : new int[] {7, 23, 31}) {
      byte[] guessed = genuine.clone();
      guessed[at]++;
      FileException refused = assertThrows(FileException.class, () -> handles.decode(guessed));
      assertEquals(FileError.BAD_HANDLE, refused.error());
    }
  }
}
