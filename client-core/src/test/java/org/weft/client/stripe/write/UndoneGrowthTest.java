package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * P 4.2: whatever becomes of the write that was to make it, a component that is needed is there.
 */
class UndoneGrowthTest {
  private static final int UNIT = 8192;

  private final Layout layout = new Layout(4, 1, UNIT, 2, 1);

  /**
   * One stripe of a range has no room and is undone; the other is written. A component that gets
   * bytes of neither is to be made by the one that came first, and slow to hear of it.
   */
  @ParameterizedTest
  @ValueSource(longs = {71, 72, 73, 74})
  void theNextWriteCreatesAnUndoneWritesComponents(long seed) {
    StripeWorld world = new StripeWorld(seed, 14);
    ModelFile file = new ModelFile(world, layout);
    file.open();
    int from = 3 * UNIT;
    byte[] bytes = world.bytes(2 * UNIT);
    int bystander = bystander();
    FakeOsd late = world.osd(file.map.osdOf(bystander));
    FakeOsd full = world.osd(file.map.osdOf(layout.dataComponent(0, 3)));
    boolean[] over = new boolean[1];
    int[] cut = new int[1];
    late.faults(
        opcode -> {
          boolean cuts = opcode == Opcode.WRITE && !over[0];
          cut[0] += cuts ? 1 : 0;
          return cuts ? Fault.CUT_BEFORE : Fault.NONE;
        });
    int[] heard = new int[1];
    world
        .osd(file.map.osdOf(layout.dataComponent(1, 0)))
        .faults(
            opcode -> {
              heard[0] += opcode == Opcode.WRITE ? 1 : 0;
              return Fault.NONE;
            });
    int[] refused = new int[1];
    full.faults(
        opcode -> {
          if (opcode != Opcode.WRITE || refused[0] > 0) {
            return Fault.NONE;
          }
          // Not before the second stripe is on its way.
          refused[0] += heard[0] > 1 ? 1 : 0;
          return refused[0] > 0 ? Fault.refuse(ErrorCode.NO_SPACE) : Fault.CUT_BEFORE;
        });
    CompletableFuture<Void> write = file.startWrite(from, bytes);
    world.time.runUntil("it was to be made", () -> cut[0] > 0 && refused[0] > 0);
    world.time.pass(300_000_000L);
    over[0] = true;
    world.time.runUntil("it is over", write::isDone);
    WeftException why =
        WeftException.of(write.handle((nothing, thrown) -> (Throwable) thrown).join());
    assertEquals(ErrorCode.NO_SPACE, why.code(), why.getMessage());
    assertTrue(why.getMessage().endsWith("; other stripes of this write were written"));
    assertTrue(file.updater.isWritable());
    // Whichever came first was to make the bystander, and has been refused.
    int reached = (int) file.updater.sizeBytes();
    assertTrue(reached == 4 * UNIT || reached == 5 * UNIT, "reached " + reached);
    file.model = new byte[reached];
    System.arraycopy(bytes, reached - 4 * UNIT, file.model, reached - UNIT, UNIT);
    assertEquals(reached, late.eof(file.name), "without it, it counts as lost");
    file.close();
    assertTrue(late.objects().contains(file.name), "absent it counts as lost");
    file.assertStored();
    world.assertNothingLeaks();
  }

  /** Gets no bytes from either stripe. */
  private int bystander() {
    for (int component = 0; component < layout.width(); component++) {
      boolean first =
          component == layout.dataComponent(0, 3) || component == layout.parityComponent(0, 0);
      boolean second =
          component == layout.dataComponent(1, 0) || component == layout.parityComponent(1, 0);
      if (!first && !second) {
        return component;
      }
    }
    throw new AssertionError("all are written");
  }
}
