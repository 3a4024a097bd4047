package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.FlushedFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.write.WrittenFile;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.PendingWrite;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * P 5.7, 5.8: the first write of a new grant makes a component forget what is pending of the old
 * one, so it hears of orders in their order.
 */
class ResendOrderTest {
  private static final int UNIT = StripeWorld.UNIT_BYTES;

  @Test
  void noComponentHearsOfALaterOrderBeforeTheEarlierOnes() {
    StripeWorld world = new StripeWorld(11, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 2));
    world.time.await(file.writer.write(ByteBuffer.wrap(world.bytes(4 * UNIT))));
    world.time.await(file.writer.flush(false));
    world.time.pass(1_000_000_000L);

    FakeOsd lost = world.osd(file.map().osdOf(5));
    lost.stop();
    file.manager.giveUp(lost.id());
    FakeOsd slow = world.osd(file.map().osdOf(0));
    // The first write that reaches it after the new grant takes its time.
    CompletableFuture<Void> gate = new CompletableFuture<>();
    int[] asked = new int[1];
    slow.faults(
        opcode ->
            opcode == Opcode.WRITE && file.manager.asked() > 0 && !file.map().missing().isEmpty()
                ? asked[0]++ == 0 ? Fault.hold(gate) : Fault.NONE
                : Fault.NONE);
    // Several runs: orders that are under way at the same time.
    CompletableFuture<Void> written = file.writer.write(ByteBuffer.wrap(world.bytes(48 * UNIT)));
    CompletableFuture<WrittenFile> flushed =
        written.thenCompose(nothing -> file.writer.flush(false));
    world.time.runUntil("the first is on its way again", () -> asked[0] > 0);
    world.time.pass(300_000_000L);
    assertFalse(flushed.isDone());
    long next = file.manager.terms().grant().number();
    List<PendingWrite> early =
        slow.pendingWrites(file.name).stream().filter(w -> w.getGrant() == next).toList();
    assertEquals(List.of(), early, "it has heard of later orders first");
    gate.complete(null);
    world.time.await(flushed);
    assertTrue(asked[0] > 1, "there were several");
    world.assertNothingLeaks();
  }

  /**
   * Its OSD lost its power, and with it a component that was made for a write which was not
   * complete then: no reader misses it, and the write that is given again makes it again.
   */
  @Test
  void aResentWriteCreatesItsComponentsAgain() {
    StripeWorld world = new StripeWorld(12, 7);
    FlushedFile file = new FlushedFile(world, StripeWorld.layout(4, 1));
    int bystander = file.map().layout().dataComponent(0, 3);
    FakeOsd forgetful = world.osd(file.map().osdOf(bystander));
    FakeOsd lost = world.osd(file.map().osdOf(file.map().layout().dataComponent(0, 1)));
    lost.stop();
    CompletableFuture<WrittenFile> flushed =
        file.writer
            .write(ByteBuffer.wrap(world.bytes(2 * UNIT)))
            .thenCompose(nothing -> file.writer.flush(false));
    world.time.runUntil("it is made", () -> forgetful.objects().contains(file.name));
    world.time.pass(100_000_000L);
    forgetful.loseObject(file.name);
    file.manager.giveUp(lost.id());
    world.time.await(flushed);
    assertTrue(forgetful.objects().contains(file.name), "by the file's length it must exist");
  }
}
