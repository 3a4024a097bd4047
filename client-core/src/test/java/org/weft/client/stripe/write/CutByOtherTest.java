package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.protocol.layout.Layout;
import org.weft.testkit.osd.FakeOsd;

/** P 6.5.78: a writer that hears that another has cut the file goes on as if it opened it then. */
class CutByOtherTest {
  private static final int UNIT = 8192;

  private final StripeWorld world = new StripeWorld(62, 8);
  private final ModelFile file = new ModelFile(world, new Layout(4, 1, UNIT, 6, 1));

  /** One that has written the file, which another has cut since. */
  private StripeUpdater late(int cutBytes) {
    file.open();
    file.write(0, world.bytes(9 * UNIT + 100));
    StripeUpdater late = file.updater;
    late.tellCompletion();
    world.time.pass(1_000_000_000L);
    StripeUpdater cutter =
        world.engine.update(
            world.reopened(file.name, file.map, 0),
            late.sizeBytes(),
            Regrants.NONE,
            world.failures::add);
    world.time.await(cutter.cut(cutBytes, 1));
    cutter.close();
    world.time.pass(1_000_000_000L);
    file.model = Arrays.copyOf(file.model, cutBytes);
    return late;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, UNIT, UNIT + 1, 4 * UNIT, 5 * UNIT + 7})
  void laterWritesApplyToTheTruncatedFile(int cutBytes) {
    StripeUpdater late = late(cutBytes);
    late.found(cutBytes, 1);
    assertEquals(new StripeUpdater.Length(cutBytes, 1), late.length());
    late.found(cutBytes, 1);
    late.found(2L * cutBytes, 0);
    assertEquals(1, late.length().cuts(), "a word of before it");
    late.goOnUnder(world.reopened(file.name, file.map, 0));
    world.time.pass(1_000_000_000L);
    byte[] bytes = world.bytes(500);
    int position = 6 * UNIT + 50;
    world.time.await(late.write(position, ByteBuffer.wrap(bytes)));
    file.apply(position, bytes);
    late.close();
    world.time.pass(1_000_000_000L);
    file.truncationNumber = 1;
    file.assertStored();
  }

  /** One that opened the file when it was empty finishes a cut that another left. */
  @Test
  void aComponentThatWasLostIsNotMadeAnewByACut() {
    file.open();
    StripeUpdater late =
        world.engine.update(
            world.reopened(file.name, file.map, 0), 0, Regrants.NONE, world.failures::add);
    file.write(0, world.bytes(9 * UNIT));
    file.updater.tellCompletion();
    world.time.pass(1_000_000_000L);
    FakeOsd osd = world.osd(file.map.osdOf(1));
    osd.loseObject(file.name);
    CompletableFuture<Void> cut = late.finishCut(6L * UNIT, 1);
    world.time.runUntil("it ends", cut::isDone);
    assertTrue(cut.isCompletedExceptionally(), "the component cannot be done without");
    assertFalse(osd.objects().contains(file.name), "it is lost");
  }

  /** What is asked of stable storage may be under way; it waits for nothing, and nothing for it. */
  @ParameterizedTest
  @ValueSource(ints = {100, 3 * UNIT})
  void aFlushGoesOnBesideACut(int cutBytes) {
    file.open();
    file.write(0, world.bytes(9 * UNIT));
    CompletableFuture<Void> flush = file.updater.makeDurable();
    CompletableFuture<Void> cut = file.updater.finishCut(cutBytes, 1);
    CompletableFuture<Void> another = file.updater.makeDurable();
    for (CompletableFuture<Void> each : List.of(flush, cut, another)) {
      world.time.await(each);
    }
    assertTrue(file.updater.isWritable());
    file.model = Arrays.copyOf(file.model, cutBytes);
    file.truncationNumber = 1;
    file.updater.close();
    world.time.pass(1_000_000_000L);
    file.assertStored();
  }
}
