package org.weft.it.simulation.scenario;

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
import org.weft.client.ids.NodeChange;
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
import org.weft.simulator.node.SimulatedOsd;

/** Stable writes through gateways: what survives, and whose rights they heed (P 6.5c.8.22). */
class GatewayWritesTest {
  private static final String PATH = "/f";
  private static final RequestBy ROOT =
      RequestBy.caller(new OnBehalfOf("root", List.of("root"), true));
  private static final RequestBy BOB =
      RequestBy.caller(new OnBehalfOf("bob", List.of("users"), false));

  private final Stage stage = Stage.boot(WorldOptions.of(1).withCaches(1_000));
  private final ClientNode gateway;
  private final FilesById files;
  private final FilesById others;
  private final NodeId file;
  private byte[] content = Stage.bytes(1, 2 * Stage.STRIPE + Stage.UNIT + 100);

  /** A file that ends in its third stripe, under a checkpoint. */
  GatewayWritesTest() throws WeftException {
    stage.put(stage.client(), PATH, Stage.WIDE, content);
    gateway = stage.gateway();
    files = gateway.filesById();
    others = stage.gateway().filesById();
    file = stage.call(files.resolve(PATH)).id();
    chmod(0666);
    stage.world().pass(10_000);
  }

  private void chmod(int mode) throws WeftException {
    NodeChange change =
        stage.call(
            others.setAttributes(ROOT, file, AttributesWish.ofMode(mode), OptionalLong.empty()));
    assertEquals(mode, change.after().orElseThrow().mode());
  }

  private CompletableFuture<Answers.BytesWritten> begin(
      RequestBy by, int position, byte[] bytes, WriteStability stability) {
    return files.write(by, file, position, Payload.of(ByteBuffer.wrap(bytes.clone())), stability);
  }

  private void write(RequestBy by, int position, byte[] bytes, WriteStability stability)
      throws WeftException {
    Answers.BytesWritten written = stage.call(begin(by, position, bytes, stability));
    assertEquals(bytes.length, written.countBytes());
    content = Stage.changed(content, position, bytes);
    if (stability == WriteStability.STABLE) {
      assertEquals(content.length, written.node().after().orElseThrow().sizeBytes());
    }
  }

  private void writeSome(RequestBy by, long seed) throws WeftException {
    for (int at = 0; at < 4; at++) {
      write(by, 300 + at * 9_000, Stage.bytes(seed + at, 700), WriteStability.STABLE);
    }
  }

  private WeftException refused(RequestBy by) {
    return stage.failureOf(begin(by, 0, Stage.bytes(3, 10), WriteStability.STABLE));
  }

  private void allOsdsLosePower() {
    List<SimulatedOsd> osds = stage.world().osds();
    osds.forEach(osd -> osd.machine().losePower());
    osds.forEach(SimulatedOsd::start);
    stage.heal();
  }

  @Test
  void stableWritesSurviveThePowerOfAllOsds() throws WeftException {
    writeSome(ROOT, 20);
    allOsdsLosePower();
    stage.assertHolds(PATH, content);
  }

  @Test
  void stableAppendsSurviveThePowerOfAllOsds() throws WeftException {
    writeSome(ROOT, 30);
    // Within the unit, to its end, and into the next one.
    for (int piece = 0; content.length < 2 * Stage.STRIPE + 2 * Stage.UNIT + 3_000; piece++) {
      write(ROOT, content.length, Stage.bytes(40 + piece, 2_900), WriteStability.STABLE);
    }
    allOsdsLosePower();
    stage.assertHolds(PATH, content);
  }

  @Test
  void committedBytesSurviveAPowerLossOfAllOsds() throws WeftException {
    writeSome(ROOT, 50);
    for (int turn = 0; turn < 3; turn++) {
      write(ROOT, 5_000 + turn, Stage.bytes(60 + turn, 800), WriteStability.UNSTABLE);
      write(ROOT, content.length, Stage.bytes(70 + turn, 900), WriteStability.UNSTABLE);
      NodeChange committed = stage.call(files.commit(ROOT, file));
      assertEquals(content.length, committed.after().orElseThrow().sizeBytes());
    }
    allOsdsLosePower();
    stage.assertHolds(PATH, content);
  }

  @Test
  void revokedRightsDoNotHoldForTheNextWrite() throws WeftException {
    for (int turn = 0; turn < 3; turn++) {
      writeSome(BOB, 80 + 10 * turn);
      chmod(0644);
      assertEquals(ErrorCode.PERMISSION_DENIED, refused(BOB).code());
      assertEquals(ErrorCode.PERMISSION_DENIED, stage.failureOf(files.commit(BOB, file)).code());
      writeSome(ROOT, 120 + turn);
      chmod(0666);
      stage.world().pass(1_500);
    }
    stage.assertHolds(PATH, content);
  }

  /** The manager waits for the gateway's lease, and then the gateway relies on nothing old. */
  @Test
  void cutOffGatewayWritesNothingUnderRevokedRights() throws WeftException {
    writeSome(BOB, 90);
    SimulatedManager manager = stage.world().managers().get(0);
    stage.world().network().separate(gateway.name(), manager.name());
    chmod(0644);
    assertIsRefusedOnceItIsHealed();
  }

  /** Of the grants of a manager that died the next one waits for the lease, too. */
  @Test
  void aManagerThatStartsTakesNoRightsAwayThatAGatewayRelies() throws WeftException {
    writeSome(BOB, 95);
    SimulatedManager manager = stage.world().managers().get(0);
    stage.world().network().separate(gateway.name(), manager.name());
    manager.kill();
    manager.start();
    chmod(0644);
    assertIsRefusedOnceItIsHealed();
  }

  private void assertIsRefusedOnceItIsHealed() throws WeftException {
    CompletableFuture<Answers.BytesWritten> late =
        begin(BOB, 0, Stage.bytes(3, 10), WriteStability.STABLE);
    stage.world().pass(200);
    assertFalse(late.isDone(), "the rights that it relied on are not so any more");
    stage.world().network().heal();
    WeftException refusal = stage.failureOf(late);
    assertTrue(
        refusal.code() == ErrorCode.PERMISSION_DENIED || refusal.code() == ErrorCode.UNAVAILABLE,
        refusal::toString);
    stage.awaitClosed(stage.client(), PATH);
    stage.assertHolds(PATH, content);
  }
}
