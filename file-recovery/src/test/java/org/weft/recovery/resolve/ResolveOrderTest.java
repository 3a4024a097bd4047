package org.weft.recovery.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.check.ParityReport;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** What comes out of turn: writers' grants, and messages of an earlier attempt to resolve. */
class ResolveOrderTest {
  private static final int K = 3;
  private static final int SIZE = 2 * K * UNIT_BYTES;

  private final StripeWorld world = new StripeWorld(31, 9);

  private byte[] unit(byte[] content, int index) {
    return Arrays.copyOfRange(content, index * UNIT_BYTES, (index + 1) * UNIT_BYTES);
  }

  private byte[] parity(byte[] content, int k, int m, int index) {
    ByteBuffer[] data = new ByteBuffer[k];
    Arrays.setAll(data, i -> ByteBuffer.wrap(unit(content, i)));
    ByteBuffer[] parity = new ByteBuffer[m];
    Arrays.setAll(parity, j -> ByteBuffer.allocate(UNIT_BYTES));
    new ErasureCode(k, m).encode(data, parity);
    return parity[index].array();
  }

  /**
   * Two write to a shared file. The one with the younger grant was first, and gave the stripe on;
   * the other changed a unit beside it, whose parity has not heard that the first is complete.
   * Before, the resolve went to the older grant first, met BUSY there, and did so for ever.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aGrantThatMeetsAnothersRecordIsPutOff(boolean someoneKnows) {
    StripedFile file = world.newFile(StripeWorld.layout(K, 1));
    byte[] content = world.bytes(SIZE);
    world.writeAll(file, content);
    long older = world.nextGrant();
    StripedFile first = world.shared(file, world.nextGrant(), older);
    int d0 = file.layout().dataComponent(0, 0);
    int d1 = file.layout().dataComponent(0, 1);
    int p0 = file.layout().parityComponent(0, 0);
    RawWrites writer = new RawWrites(world, first, SIZE);
    System.arraycopy(world.bytes(UNIT_BYTES), 0, content, 0, UNIT_BYTES);
    world.time.await(writer.write(d0, 1, unit(content, 0), List.of(d0, p0)));
    world.time.await(writer.write(p0, 1, parity(content, K, 1, 0), List.of(d0, p0)));
    if (someoneKnows) {
      writer.tell(d0, 1);
    }
    RawWrites second = new RawWrites(world, world.shared(file, older, older), SIZE);
    System.arraycopy(world.bytes(UNIT_BYTES), 0, content, UNIT_BYTES, UNIT_BYTES);
    world.time.await(second.exchange(d1, 1, unit(content, 1), List.of(d1, p0)));

    Resolving resolving = new Resolving(world, file.name(), older, SIZE, 0, false);
    ResolveOutcome outcome = resolving.resolve(file.map());
    assertEquals(someoneKnows ? 1 : 2, outcome.decided());
    assertEquals(0, outcome.undone());
    assertAgrees(file, content);
  }

  /** Something else is in the way: the manager says so and comes again. */
  @Test
  void aResolveWithoutProgressEnds() {
    StripedFile file = world.newFile(StripeWorld.layout(K, 1));
    byte[] content = world.bytes(SIZE);
    world.writeAll(file, content);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    int d0 = file.layout().dataComponent(0, 0);
    int p0 = file.layout().parityComponent(0, 0);
    RawWrites writer = new RawWrites(world, terms.file(), SIZE);
    System.arraycopy(world.bytes(UNIT_BYTES), 0, content, 0, UNIT_BYTES);
    world.time.await(writer.exchange(d0, 1, unit(content, 0), List.of(d0, p0)));
    FakeOsd parity = world.osdOf(file, p0);
    parity.faults(opcode -> opcode == Opcode.XOR_WRITE ? Fault.refuse(ErrorCode.BUSY) : Fault.NONE);
    Resolving resolving = new Resolving(world, file.name(), terms.grant().number(), SIZE, 0, false);
    WeftException failure = world.failureOf(resolving.attempt(file.map()));
    assertEquals(ErrorCode.BUSY, failure.code());
    parity.faults(opcode -> Fault.NONE);
    assertEquals(1, resolving.resolve(file.map()).decided());
    assertAgrees(file, content);
  }

  /**
   * A manager keeps a write and dies while its FORWARD is in the network. Then a component is lost,
   * and the next manager undoes it: there are too few left to decode. Between that and the word of
   * completion the FORWARD arrives, at a component that never had the write.
   */
  @Test
  void anEarlierAttemptsForwardMeetsTheUndo() {
    StripedFile file = world.newFile(StripeWorld.layout(2, 2));
    byte[] content = world.bytes(2 * 2 * UNIT_BYTES);
    world.writeAll(file, content);
    // Its writer has told that everything is complete: the next word of that is the resolve's.
    world.time.pass(1_000_000_000L);
    WriteTerms terms = world.reopened(file.name(), file.map(), 0);
    int d0 = file.layout().dataComponent(0, 0);
    int d1 = file.layout().dataComponent(0, 1);
    int p0 = file.layout().parityComponent(0, 0);
    int p1 = file.layout().parityComponent(0, 1);
    byte[] changed = content.clone();
    System.arraycopy(world.bytes(UNIT_BYTES), 0, changed, 0, UNIT_BYTES);
    RawWrites writer = new RawWrites(world, terms.file(), content.length);
    world.time.await(writer.write(p0, 1, parity(changed, 2, 2, 0), List.of(d0, p0, p1)));

    CompletableFuture<Void> forward = new CompletableFuture<>();
    CompletableFuture<Void> completion = new CompletableFuture<>();
    world.osdOf(file, d0).faults(opcode -> late(opcode, forward, completion));
    world.osdOf(file, p1).faults(opcode -> opcode == Opcode.WRITE ? Fault.SILENCE : Fault.NONE);
    Resolving resolving =
        new Resolving(world, file.name(), terms.grant().number(), content.length, 0, false);
    var unused = resolving.attempt(file.map()).exceptionally(thrown -> null);
    world.time.pass(20_000_000_000L);
    world.osdOf(file, d1).stop();
    StripedFile lessened = StripeWorld.missing(file, d1);
    ResolveOutcome outcome = resolving.resolve(lessened.map());
    assertTrue(forward.isDone(), "the FORWARD was on its way");
    assertEquals(1, outcome.undone());
    assertArrayEquals(
        content,
        world.readAll(world.reader(world.readable(file.name(), lessened.map()), content.length)));
    StripedFile without = StripeWorld.missing(file, d0, d1);
    assertArrayEquals(
        content,
        world.readAll(world.reader(world.readable(file.name(), without.map()), content.length)),
        "the parities are as before as well");
  }

  /** The first WRITE arrives just before the first COMPLETE. */
  private Fault late(
      Opcode opcode, CompletableFuture<Void> forward, CompletableFuture<Void> completion) {
    if (opcode == Opcode.WRITE) {
      return Fault.hold(forward);
    }
    if (opcode == Opcode.COMPLETE && !completion.isDone()) {
      forward.complete(null);
      world.time.after(1_000_000L, () -> completion.complete(null));
      return Fault.hold(completion);
    }
    return Fault.NONE;
  }

  private void assertAgrees(StripedFile file, byte[] content) {
    StripedFile readable = world.readable(file.name(), file.map());
    assertArrayEquals(content, world.readAll(world.reader(readable, content.length)));
    ParityReport report = world.time.await(world.engine.parityOf(readable).verify());
    assertEquals(0, report.wrongUnits(), report::toString);
    for (int component = 0; component < file.layout().width(); component++) {
      assertEquals(List.of(), world.osdOf(file, component).pendingWrites(file.name()));
    }
  }
}
