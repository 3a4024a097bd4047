package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.Resolving;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.testkit.osd.Fault;

/**
 * P 4.3: the length that a write establishes is undone with it, also on components that are only
 * made for it and get no bytes; and what is complete does not rely on what another write has told.
 */
class UndoneLengthTest {
  private static final int UNIT = 8192;

  private final StripeWorld world = new StripeWorld(61, 14);
  private final Layout layout = new Layout(4, 1, UNIT, 6, 1);
  private final ModelFile file = new ModelFile(world, layout, Resolving::beforeRegrant);

  @BeforeEach
  void aSmallFile() {
    file.open();
    file.write(0, world.bytes(3000));
    file.publish();
    world.time.pass(1_000_000_000L);
  }

  private void refuseOnce(int component, Opcode refused) {
    int[] left = {1};
    world
        .osd(file.map.osdOf(component))
        .faults(
            opcode ->
                opcode == refused && left[0]-- > 0 ? Fault.refuse(ErrorCode.NO_SPACE) : Fault.NONE);
  }

  private void assertRefused(int position, int length) {
    CompletableFuture<Void> write = file.startWrite(position, world.bytes(length));
    world.time.runUntil("it is over", write::isDone);
    WeftException why =
        WeftException.of(write.handle((nothing, thrown) -> (Throwable) thrown).join());
    assertEquals(ErrorCode.NO_SPACE, why.code(), why.getMessage());
    assertTrue(why.getMessage().endsWith("the stripe is as it was, the file can be written on"));
    assertTrue(file.updater.isWritable());
    assertEquals(file.model.length, file.updater.sizeBytes());
  }

  /** As a manager does when the writer is gone. */
  private ResolveOutcome resolved() {
    long grant = file.updater.terms().grant().number();
    file.updater.abandon();
    return new Resolving(world, file.name, grant, file.publishedBytes, 0, false).resolve(file.map);
  }

  /** Two units and the parity have bytes; the other two components are only made. */
  @Test
  void aRefusedWriteLeavesNoLengthWhereItOnlyMadeComponents() {
    refuseOnce(layout.dataComponent(0, 2), Opcode.WRITE);
    assertRefused(2 * UNIT, UNIT);
    assertEquals(3000, resolved().sizeBytes(), "zeros that no client wrote");
  }

  @Test
  void soItIsOnceTheUndoingIsKnownToAll() {
    refuseOnce(layout.dataComponent(0, 2), Opcode.WRITE);
    assertRefused(2 * UNIT, UNIT);
    file.close();
    world.time.pass(2_000_000_000L);
    file.open();
    assertEquals(3000, resolved().sizeBytes(), "zeros that no client wrote");
  }

  /** The parity never hears of it: too few have it, and the manager takes it back. */
  @Test
  void aDeadWritersGrowthThatIsUndoneLeavesNoLength() {
    world
        .osd(file.map.osdOf(layout.parityComponent(0, 0)))
        .faults(opcode -> opcode == Opcode.WRITE ? Fault.SILENCE : Fault.NONE);
    world
        .osd(file.map.osdOf(layout.dataComponent(0, 2)))
        .faults(opcode -> opcode == Opcode.WRITE ? Fault.SILENCE : Fault.NONE);
    var unused = file.startWrite(2 * UNIT, world.bytes(2 * UNIT));
    world.time.pass(300_000_000L);
    int bystander = layout.dataComponent(0, 1);
    assertTrue(world.osd(file.map.osdOf(bystander)).objects().contains(file.name));
    world.endFaults();
    assertEquals(3000, resolved().sizeBytes(), "zeros that no client wrote");
  }

  /**
   * What the refused write had told of the length is forgotten with it: the next one, which needs
   * the same components, tells them anew, or they would count as lost.
   */
  @Test
  void theNextWriteTellsWhatTheUndoneOneHadMade() {
    refuseOnce(layout.dataComponent(0, 2), Opcode.WRITE);
    assertRefused(2 * UNIT, UNIT);
    file.write(UNIT, world.bytes(UNIT));
    for (int component = 2; component < layout.width(); component++) {
      long eof = world.osd(file.map.osdOf(component)).eof(file.name);
      assertEquals(2 * UNIT, eof, "before a client is told of it, component " + component);
    }
    file.close();
    world.time.pass(2_000_000_000L);
    file.open();
    assertEquals(2 * UNIT, resolved().sizeBytes());
    file.assertStored();
  }
}
