package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.RequestCounts;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Updates that replace whole stripes: several go together (P 5.3). */
class RunUpdateTest {
  private static final int UNIT = 8192;
  private static final int STRIPE = 2 * UNIT;
  private static final int WIDTH = 3;
  private static final int ROUND = 4;

  private final StripeWorld world = new StripeWorld(22, 6);
  private final RequestCounts counts = new RequestCounts();
  private final ModelFile file = new ModelFile(world, new Layout(2, 1, UNIT, ROUND, 1));

  private void open(int stripes) {
    file.open();
    file.write(0, world.bytes(stripes * STRIPE));
    file.publish();
    world.time.pass(1_000_000_000L);
    counts.count(world);
  }

  /** The OSD of the component has no room, once. */
  private void refuseNextWrite(int component) {
    FakeOsd full = world.osd(file.map.osdOf(component));
    int[] refused = new int[1];
    full.faults(
        opcode ->
            opcode == Opcode.WRITE && refused[0]++ == 0
                ? Fault.refuse(ErrorCode.NO_SPACE)
                : Fault.NONE);
  }

  @Test
  void stripesOfARunTakeOneRequestOfEachComponent() {
    open(2 * ROUND);
    file.write(ROUND * STRIPE, world.bytes(ROUND * STRIPE));
    assertEquals(WIDTH, counts.of(Opcode.WRITE));
    assertEquals(0, counts.of(Opcode.READ));
    file.closeAndAssertWhole();
  }

  @Test
  void aRunEndsWithItsRound() {
    open(2 * ROUND);
    file.write(2 * STRIPE, world.bytes(ROUND * STRIPE));
    assertEquals(2 * WIDTH, counts.of(Opcode.WRITE));
    file.closeAndAssertWhole();
  }

  @Test
  void aRunMakesAFileLonger() {
    open(ROUND);
    file.write(2L * ROUND * STRIPE, world.bytes(ROUND * STRIPE));
    assertEquals(WIDTH, counts.of(Opcode.WRITE));
    file.closeAndAssertWhole();
  }

  @Test
  void partsOfStripesBesideARunAreChangedByThemselves() {
    open(3 * ROUND);
    file.write(STRIPE / 2, world.bytes(3 * ROUND * STRIPE - STRIPE));
    file.closeAndAssertWhole();
  }

  @Test
  void aRunAndAChangeWithinItGoInOrder() {
    open(2 * ROUND);
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    int[][] ranges = {
      {ROUND * STRIPE + 100, 500},
      {ROUND * STRIPE, ROUND * STRIPE},
      {(ROUND + 2) * STRIPE + 7, 3_000},
      {(ROUND + 1) * STRIPE, 2 * STRIPE}
    };
    for (int[] range : ranges) {
      byte[] bytes = world.bytes(range[1]);
      changes.add(file.startWrite(range[0], bytes));
      file.apply(range[0], bytes);
    }
    changes.forEach(world.time::await);
    file.closeAndAssertWhole();
  }

  /** One component has no room: no stripe of the run stays anywhere, and writing goes on. */
  @Test
  void aRunWithoutRoomIsUndoneAsAWhole() {
    open(2 * ROUND);
    refuseNextWrite(1);
    CompletableFuture<Void> write = file.startWrite(ROUND * STRIPE, world.bytes(ROUND * STRIPE));
    world.time.runUntil("it is over", write::isDone);
    WeftException why = WeftException.of(assertThrows(ExecutionException.class, write::get));
    assertEquals(ErrorCode.NO_SPACE, why.code(), why.getMessage());
    assertTrue(file.updater.isWritable());
    file.write((ROUND + 1) * STRIPE, world.bytes(2 * STRIPE));
    file.closeAndAssertWhole();
  }

  /** The same behind the end: the file does not become longer by it. */
  @Test
  void aRunThatIsUndoneMakesNoFileLonger() {
    open(ROUND);
    refuseNextWrite(2);
    CompletableFuture<Void> write =
        file.startWrite(2L * ROUND * STRIPE, world.bytes(ROUND * STRIPE));
    world.time.runUntil("it is over", write::isDone);
    assertTrue(write.isCompletedExceptionally());
    assertEquals(ROUND * STRIPE, file.updater.sizeBytes());
    file.closeAndAssertWhole();
  }
}
