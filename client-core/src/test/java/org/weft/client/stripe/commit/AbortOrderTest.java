package org.weft.client.stripe.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.PendingKind;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** A write that is undone comes back nowhere (P 5.4). */
class AbortOrderTest {
  private static final int UNIT = 8_192;

  /** The write may still be on its way there, and find the room that is missing now. */
  @Test
  void aWriteIsNotUndoneWithoutRoomForAComponent() {
    StripeWorld world = new StripeWorld(5, 8);
    StripedFile file = world.newFile(new Layout(4, 1, UNIT, 6, 1));
    WriteTerms terms = new WriteTerms(file, world.grant(file));
    FileWriteService sender = world.sender(terms, 0, Regrants.NONE, world.failures::add);
    FakeOsd full = world.osdOf(file, 3);
    int[] refused = new int[1];
    full.faults(
        opcode -> {
          if (opcode != Opcode.WRITE || refused[0] == 3) {
            return Fault.NONE;
          }
          refused[0]++;
          return Fault.refuse(ErrorCode.NO_SPACE);
        });
    long grant = terms.grant().number();
    CompletableFuture<Void> undone =
        sender.submit(new AbortOrder(world.context, List.of(2, 3), grant, 1, 1));
    world.time.runUntil("it is refused", () -> refused[0] > 0);
    assertFalse(undone.isDone());
    world.time.await(undone);
    assertEquals(3, refused[0]);
    for (int component = 2; component <= 3; component++) {
      assertEquals(
          List.of(PendingKind.ABORTED),
          world.osdOf(file, component).pendingWrites(file.name()).stream()
              .map(write -> write.getKind())
              .toList());
      assertEquals(
          terms.grant().initialAttributes().map(initial -> initial.getPage().getValue()),
          world.osdOf(file, component).attributePage(file.name()),
          "as an order that makes a component does");
    }
  }
}
