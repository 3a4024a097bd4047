package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.WriteStability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;

/** Gateways that read under read grants, beside others that change what they read (P 6.5c.8). */
class GatewayReadsTest {
  private static final String PATH = "/f";
  private static final RequestBy ROOT =
      RequestBy.caller(new OnBehalfOf("root", List.of("root"), true));
  private static final RequestBy BOB =
      RequestBy.caller(new OnBehalfOf("bob", List.of("users"), false));

  private final Stage stage = Stage.boot(WorldOptions.of(1).withCaches(1_000));
  private final byte[] content = Stage.bytes(1, 3 * Stage.STRIPE);
  private final ClientNode gateway;
  private final FilesById files;
  private final FilesById others;
  private final NodeId file;

  /** A file that no client writes. */
  GatewayReadsTest() throws WeftException {
    stage.put(stage.client(), PATH, Stage.WIDE, content);
    gateway = stage.gateway();
    files = gateway.filesById();
    others = stage.gateway().filesById();
    file = stage.call(files.resolve(PATH)).id();
    chmod(others, 0644);
    // So that read leases have begun, and nothing was recalled lately.
    stage.world().pass(3_000);
  }

  private SimulatedManager manager() {
    return stage.world().managers().get(0);
  }

  private NodeAttributes chmod(FilesById by, int mode) throws WeftException {
    return stage
        .call(by.setAttributes(ROOT, file, AttributesWish.ofMode(mode), OptionalLong.empty()))
        .after()
        .orElseThrow();
  }

  private static byte[] bytes(Answers.BytesRead read) {
    ByteBuffer all = ByteBuffer.allocate(read.bytes().lengthBytes());
    read.bytes().buffers().forEach(each -> all.put(each.duplicate()));
    read.bytes().release();
    return all.array();
  }

  private Answers.BytesRead read(RequestBy by) throws WeftException {
    Answers.BytesRead read = stage.call(files.read(by, file, 0, content.length));
    assertArrayEquals(content, bytes(read));
    return read;
  }

  private void grant() throws WeftException {
    read(ROOT);
    read(BOB);
  }

  @Test
  void grantedAttributesNeedNoManager() throws WeftException {
    grant();
    manager().pause();
    assertEquals(content.length, read(ROOT).node().sizeBytes());
    read(BOB);
    assertEquals(0644, stage.call(files.attributes(ROOT, file)).mode());
    assertTrue(stage.call(files.rights(BOB, file)).read());
    assertFalse(stage.call(files.rights(BOB, file)).write());
    manager().resume();
  }

  @Test
  void aChangeThroughAnotherGatewayIsSeenByTheNextCall() throws WeftException {
    for (int turn = 0; turn < 4; turn++) {
      grant();
      byte[] piece = Stage.bytes(20 + turn, 1_000);
      System.arraycopy(piece, 0, content, 500 * turn, piece.length);
      stage.call(
          others.write(
              ROOT, file, 500L * turn, Payload.of(ByteBuffer.wrap(piece)), WriteStability.STABLE));
      read(ROOT);
      // What is not written for a while is closed, and granted again.
      stage.world().pass(5_000);
      grant();
      chmod(others, 0600);
      assertEquals(
          ErrorCode.PERMISSION_DENIED, stage.failureOf(files.read(BOB, file, 0, 10)).code());
      assertEquals(0600, stage.call(files.attributes(ROOT, file)).mode());
      chmod(others, 0644);
      stage.world().pass(1_500);
    }
  }

  @Test
  void ownChangesAreVisibleAtOnceWithoutARecall() throws WeftException {
    grant();
    long before = stage.world().time().nowNanos();
    chmod(files, 0640);
    assertTrue(stage.world().time().nowNanos() - before < 100_000_000, "it waited for a recall");
    assertEquals(0640, stage.call(files.attributes(ROOT, file)).mode());
    assertEquals(ErrorCode.PERMISSION_DENIED, stage.failureOf(files.read(BOB, file, 0, 10)).code());
  }

  @Test
  void cutOffGatewayDelaysAChangeForItsLease() throws WeftException {
    grant();
    stage.world().network().separate(gateway.name(), manager().name());
    chmod(others, 0600);
    CompletableFuture<NodeAttributes> asked = files.attributes(ROOT, file);
    CompletableFuture<Answers.BytesRead> reading = files.read(BOB, file, 0, 10);
    stage.world().pass(500);
    assertFalse(asked.isDone(), "what it relied on is not so any more");
    assertFalse(reading.isDone(), "rights that it relied on are not so any more");
    stage.world().network().heal();
    assertEquals(0600, stage.call(asked).mode());
    assertEquals(ErrorCode.PERMISSION_DENIED, stage.failureOf(reading).code());
  }

  @Test
  void resumedGatewayAnswersNothingStale() throws WeftException {
    grant();
    gateway.pause();
    chmod(others, 0600);
    CompletableFuture<NodeAttributes> asked = files.attributes(ROOT, file);
    gateway.resume();
    assertEquals(0600, stage.call(asked).mode());
  }
}
