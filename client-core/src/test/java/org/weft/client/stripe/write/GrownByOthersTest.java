package org.weft.client.stripe.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** P 4.2, 6.5: what a file must have by the length that others gave it is there, or lost. */
class GrownByOthersTest {
  private static final int UNIT = 8192;

  private final StripeWorld world = new StripeWorld(61, 8);
  private final ModelFile file = new ModelFile(world, new Layout(4, 1, UNIT, 6, 1));

  /** An updater that opened the file when it was empty, and heard of its length since. */
  private StripeUpdater late() {
    file.open();
    file.write(0, world.bytes(8 * UNIT));
    file.close();
    world.time.pass(1_000_000_000L);
    WriteTerms terms = world.reopened(file.name, file.map, 0);
    StripeUpdater late = world.engine.update(terms, 0, Regrants.NONE, world.failures::add);
    late.found(8 * UNIT, 0);
    return late;
  }

  @Test
  void aChangeOfOneUnitAsksOnlyTheOsdsThatItConcerns() {
    StripeUpdater late = late();
    List<Opcode> asked = new ArrayList<>();
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            asked.add(opcode);
            return Fault.NONE;
          });
    }
    byte[] bytes = world.bytes(500);
    world.time.await(late.write(100, ByteBuffer.wrap(bytes)));
    assertEquals(List.of(Opcode.XOR_READ_WRITE, Opcode.XOR_WRITE), asked);
    file.apply(100, bytes);
    late.close();
    world.time.pass(1_000_000_000L);
    file.assertStored();
  }

  @Test
  void aLateWriterDoesNotRecreateALostComponent() {
    StripeUpdater late = late();
    FakeOsd forgetful = world.osd(file.map.osdOf(file.layout.dataComponent(0, 3)));
    forgetful.loseObject(file.name);
    var write = late.write(0, ByteBuffer.wrap(world.bytes(2 * UNIT)));
    world.time.runUntil("it is over", write::isDone);
    assertFalse(forgetful.objects().contains(file.name), "its bytes would read as zeros");
  }
}
