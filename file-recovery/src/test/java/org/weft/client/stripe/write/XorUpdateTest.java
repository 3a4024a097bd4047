package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.RequestCounts;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** Changes inside one data unit: when they are XOR writes, and what may befall those (P 5.3). */
class XorUpdateTest {
  private static final int UNIT = 8192;
  private static final int STRIPES = 6;

  private final StripeWorld world = new StripeWorld(21, 9);
  private final RequestCounts counts = new RequestCounts();

  private ModelFile file(int k, int m) {
    ModelFile file = new ModelFile(world, new Layout(k, m, UNIT, 3, 1), Resolving::beforeRegrant);
    file.open();
    file.write(0, world.bytes(STRIPES * k * UNIT));
    file.publish();
    world.time.pass(1_000_000_000L);
    counts.count(world);
    return file;
  }

  private static WeftException failureOf(StripeWorld world, CompletableFuture<?> future) {
    world.time.runUntil("it is over", future::isDone);
    return WeftException.of(assertThrows(ExecutionException.class, future::get));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aChangeInsideOneUnitTakesOneRequestAndOneForEachParity(int m) {
    ModelFile file = file(4, m);
    file.write(5 * UNIT + 100, world.bytes(5_000));
    assertEquals(1, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(m, counts.of(Opcode.XOR_WRITE));
    assertEquals(0, counts.of(Opcode.WRITE));
    assertEquals(0, counts.of(Opcode.READ));
    file.closeAndAssertWhole();
  }

  @Test
  void everyUnitHasItsOwnCoefficients() {
    ModelFile file = file(5, 3);
    for (int unit = 0; unit < 5 * STRIPES; unit++) {
      file.write(unit * UNIT + world.random.nextInt(4_000), world.bytes(1 + unit * 100));
    }
    assertEquals(5 * STRIPES, counts.of(Opcode.XOR_READ_WRITE));
    assertEquals(0, counts.of(Opcode.WRITE));
    file.closeAndAssertWhole();
  }

  @Test
  void otherChangesAreStripeWrites() {
    ModelFile file = file(4, 2);
    // Two units, a whole stripe, the end of the file.
    file.write(UNIT - 10, world.bytes(20));
    file.write(4 * UNIT, world.bytes(4 * UNIT));
    file.write(STRIPES * 4 * UNIT, world.bytes(20));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    file.closeAndAssertWhole();

    ModelFile narrow = file(2, 2);
    narrow.write(100, world.bytes(20));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    ModelFile striped = file(4, 0);
    striped.write(100, world.bytes(20));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
  }

  /** A stripe whose other units hold nothing: what is old is known. */
  @Test
  void whereNothingElseIsStoredNothingHasToBeRead() {
    ModelFile file = file(4, 2);
    file.write(STRIPES * 4 * UNIT, world.bytes(3_000));
    int reads = counts.of(Opcode.READ);
    file.write(STRIPES * 4 * UNIT + 10, world.bytes(100));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    assertTrue(counts.of(Opcode.READ) - reads <= 2, "of its own unit at most");
    file.closeAndAssertWhole();
  }

  @Test
  void aFileThatIsSmallOrHasAComponentMissingGetsStripeWrites() {
    ModelFile small = new ModelFile(world, new Layout(4, 2, UNIT, 3, 1), Resolving::beforeRegrant);
    small.open();
    small.write(0, world.bytes(5_000));
    counts.count(world);
    small.write(10, world.bytes(100));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    small.closeAndAssertWhole();

    ModelFile file = file(4, 2);
    file.loseOsdOf(5);
    world.time.pass(1_000_000_000L);
    file.write(0, world.bytes(4 * UNIT));
    assertTrue(file.map.isMissing(5));
    counts.clear();
    file.write(2 * UNIT, world.bytes(100));
    assertEquals(0, counts.of(Opcode.XOR_READ_WRITE));
    file.closeAndAssertWhole();
  }

  /**
   * An OSD cannot be told that a write is complete while an older one is under way, and would
   * answer another on the same block with BUSY until then (P 5.4).
   */
  @Test
  void aBlockIsChangedAgainOnceItsOsdCanBeToldThatTheFirstChangeIsComplete() {
    ModelFile file = file(4, 1);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    counts.count(
        world,
        opcode ->
            opcode == Opcode.XOR_READ_WRITE && counts.of(opcode) == 1
                ? new Fault.Held(gate)
                : Fault.NONE);
    byte[] bytes = world.bytes(300);
    CompletableFuture<Void> held = file.startWrite(10, bytes);
    world.time.runUntil("the first is under way", () -> counts.of(Opcode.XOR_READ_WRITE) == 1);
    file.write(5 * UNIT, bytes);
    CompletableFuture<Void> again = file.startWrite(5 * UNIT + 50, bytes);
    world.time.pass(300_000_000L);
    assertEquals(2, counts.of(Opcode.XOR_READ_WRITE), "the third waits for the first");
    assertFalse(again.isDone());

    gate.complete(null);
    world.time.await(held);
    world.time.await(again);
    assertEquals(3, counts.of(Opcode.XOR_READ_WRITE));
    file.apply(10, bytes);
    file.apply(5 * UNIT + 50, bytes);
    file.closeAndAssertWhole();
  }

  /** Whatever answer is lost, the request comes again under the same id (P 5.4). */
  @ParameterizedTest
  @ValueSource(strings = {"XOR_READ_WRITE", "XOR_WRITE"})
  void anAnswerThatIsLostIsAskedForAgain(String name) {
    Opcode lost = Opcode.valueOf(name);
    ModelFile file = file(4, 2);
    counts.count(
        world,
        opcode -> opcode == lost && world.random.nextInt(2) == 0 ? Fault.CUT_AFTER : Fault.NONE);
    for (int step = 0; step < 20; step++) {
      file.write(world.random.nextInt(STRIPES * 4) * UNIT + 50, world.bytes(3_000));
    }
    assertTrue(counts.of(lost) > 30, "some came again");
    file.closeAndAssertWhole();
  }

  @Test
  void anOsdMayStartAgainBetweenTheTries() {
    ModelFile file = file(4, 2);
    FakeOsd data = world.osd(file.map.osdOf(file.layout.dataComponent(0, 2)));
    FakeOsd parity = world.osd(file.map.osdOf(file.layout.parityComponent(0, 1)));
    for (FakeOsd osd : List.of(data, parity)) {
      boolean[] met = new boolean[1];
      osd.faults(
          opcode -> {
            boolean xor = opcode == Opcode.XOR_READ_WRITE || opcode == Opcode.XOR_WRITE;
            if (!xor || met[0]) {
              return Fault.NONE;
            }
            met[0] = true;
            world.time.after(1, osd::stop);
            world.time.after(200_000_000L, osd::restart);
            return Fault.CUT_AFTER;
          });
    }
    file.write(2 * UNIT + 7, world.bytes(UNIT - 7));
    file.closeAndAssertWhole();
  }

  /** δ is believed only with its checksums; it is answered again. */
  @Test
  void aDamagedDeltaSpreadsToNoParity() {
    ModelFile file = file(4, 2);
    int[] damaged = new int[1];
    counts.count(
        world,
        opcode ->
            opcode == Opcode.XOR_READ_WRITE && damaged[0]++ < 2
                ? Fault.REPLY_BIT_FLIP
                : Fault.NONE);
    file.write(2 * UNIT + 7, world.bytes(UNIT - 7));
    assertTrue(damaged[0] > 2);
    file.closeAndAssertWhole();
  }

  /** Rot under an XOR write: the component is given up, and the unit decoded (P 5.3, 5.8). */
  @Test
  void rottenOldBytesAreNotXoredOntoParities() {
    ModelFile file = file(4, 2);
    int component = file.layout.dataComponent(0, 2);
    FakeOsd rotten = world.osd(file.map.osdOf(component));
    rotten.flipBit(file.name, file.layout.componentOffsetBytes(0) + 5_000);
    file.down.add(rotten.id());
    file.write(2 * UNIT + 4_500, world.bytes(1_000));
    assertTrue(file.map.isMissing(component));
    file.closeAndAssertWhole();
  }

  @Test
  void changesOfDifferentUnitsAreUnderWayTogether() {
    ModelFile file = file(4, 2);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    counts.count(world, opcode -> opcode == Opcode.XOR_WRITE ? Fault.hold(gate) : Fault.NONE);
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    for (int unit = 0; unit < 4; unit++) {
      byte[] bytes = world.bytes(1_000);
      changes.add(file.startWrite(unit * UNIT + 10, bytes));
      file.apply(unit * UNIT + 10, bytes);
    }
    world.time.runUntil("all are on their way", () -> counts.of(Opcode.XOR_WRITE) == 8);
    gate.complete(null);
    changes.forEach(world.time::await);
    file.closeAndAssertWhole();
  }

  /** One unit twice, and a stripe write of the same stripe: one after another, as they came. */
  @Test
  void changesThatOverlapComeOneAfterAnother() {
    ModelFile file = file(4, 2);
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    int[][] ranges = {{100, 500}, {200, 700}, {UNIT - 100, 300}, {150, 100}, {3 * UNIT, 1_000}};
    for (int[] range : ranges) {
      byte[] bytes = world.bytes(range[1]);
      changes.add(file.startWrite(range[0], bytes));
      file.apply(range[0], bytes);
    }
    changes.forEach(world.time::await);
    assertEquals(4, counts.of(Opcode.XOR_READ_WRITE));
    file.closeAndAssertWhole();
  }

  @Test
  void whatIsBusyIsSentAgain() {
    ModelFile file = file(4, 2);
    counts.count(
        world,
        opcode ->
            world.random.nextInt(3) == 0 && opcode != Opcode.BATCH
                ? Fault.refuse(ErrorCode.BUSY)
                : Fault.NONE);
    for (int step = 0; step < 20; step++) {
      file.write(world.random.nextInt(STRIPES * 4) * UNIT + 50, world.bytes(3_000));
    }
    file.closeAndAssertWhole();
  }

  /** Far more than a grant may have pending: each request says what is complete by then. */
  @Test
  void aBusyWriterIsNeverInItsOwnWay() {
    ModelFile file = file(3, 1);
    for (int step = 0; step < 1_500; step++) {
      file.write(UNIT + step % 3_000, world.bytes(10));
    }
    assertEquals(1_500, counts.of(Opcode.XOR_READ_WRITE));
    file.closeAndAssertWhole();
  }

  /** P 5.4: an OSD without room refuses, all others undo, and the file is as it was. */
  @ParameterizedTest
  @ValueSource(strings = {"XOR_READ_WRITE", "XOR_WRITE"})
  void aFullOsdFailsTheWriteAloneAndNothingOfItStays(String name) {
    Opcode refused = Opcode.valueOf(name);
    ModelFile file = file(4, 2);
    int[] met = new int[1];
    counts.count(
        world,
        opcode ->
            opcode == refused && met[0]++ == (refused == Opcode.XOR_WRITE ? 1 : 0)
                ? Fault.refuse(ErrorCode.NO_SPACE)
                : Fault.NONE);
    WeftException failure = failureOf(world, file.startWrite(2 * UNIT + 7, world.bytes(3_000)));
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    assertTrue(failure.getMessage().contains("the stripe is as it was"), failure::toString);
    assertTrue(counts.of(Opcode.ABORT) > 0);
    file.write(2 * UNIT + 7, world.bytes(3_000));
    file.write(20 * UNIT, world.bytes(UNIT));
    file.closeAndAssertWhole();
  }

  @Test
  void aFullOsdFailsAStripeWriteAlone() {
    ModelFile file = file(4, 2);
    int[] met = new int[1];
    counts.count(
        world,
        opcode ->
            opcode == Opcode.WRITE && met[0]++ == 3
                ? Fault.refuse(ErrorCode.NO_SPACE)
                : Fault.NONE);
    WeftException failure = failureOf(world, file.startWrite(UNIT - 50, world.bytes(100)));
    assertEquals(ErrorCode.NO_SPACE, failure.code());
    file.write(UNIT - 50, world.bytes(100));
    file.closeAndAssertWhole();
  }

  /** Only want of room fails a write alone; the writing ends with any other failure. */
  @Test
  void whatCannotBeReadEndsTheWriting() {
    ModelFile file = file(4, 1);
    counts.count(
        world, opcode -> opcode == Opcode.READ ? Fault.refuse(ErrorCode.BAD_MEDIA) : Fault.NONE);
    WeftException failure = failureOf(world, file.startWrite(UNIT - 50, world.bytes(100)));
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertFalse(file.updater.isWritable());
    assertEquals(
        ErrorCode.TOO_MANY_LOST, failureOf(world, file.startWrite(0, world.bytes(1))).code());
  }

  /** ABORTs and their answers get lost, and the refused request may come late. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void undoingSurvivesABadNetwork(long seed) {
    world.random.setSeed(seed);
    ModelFile file = file(4, 2);
    counts.count(
        world,
        opcode ->
            switch (world.random.nextInt(opcode == Opcode.READ ? 1_000 : 14)) {
              case 0 -> Fault.CUT_AFTER;
              case 1 -> Fault.CUT_BEFORE;
              case 2 -> opcode == Opcode.ABORT ? Fault.NONE : Fault.refuse(ErrorCode.NO_SPACE);
              case 3 -> {
                CompletableFuture<Void> gate = new CompletableFuture<>();
                world.time.after(
                    world.random.nextInt(1_600) * 1_000_000L, () -> gate.complete(null));
                yield Fault.hold(gate);
              }
              default -> Fault.NONE;
            });
    int failed = 0;
    for (int step = 0; step < 40; step++) {
      int position = world.random.nextInt(STRIPES * 4 * UNIT - 3_000);
      byte[] bytes = world.bytes(1 + world.random.nextInt(3_000));
      CompletableFuture<Void> change = file.startWrite(position, bytes);
      world.time.runUntil("it is over", change::isDone);
      if (change.isCompletedExceptionally()) {
        assertEquals(ErrorCode.NO_SPACE, failureOf(world, change).code());
        failed++;
        // Of several stripes some may have been written.
        boolean one = position / (4 * UNIT) == (position + bytes.length - 1) / (4 * UNIT);
        boolean written = one;
        while (!written) {
          CompletableFuture<Void> again = file.startWrite(position, bytes);
          world.time.runUntil("it is over", again::isDone);
          written = !again.isCompletedExceptionally();
          if (written) {
            file.apply(position, bytes);
          }
        }
      } else {
        file.apply(position, bytes);
      }
    }
    assertTrue(failed > 0);
    file.closeAndAssertWhole();
  }
}
