package org.weft.metadata.serving.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.metadata.serving.request.ReplyGate.Held;
import org.weft.protocol.id.Lsn;

/** No answer leaves before what it has seen is durable (P 6.1). */
class ReplyGateTest {
  private final ReplyGate gate = new ReplyGate();
  private final Held first = held(1);

  private static Held held(long index) {
    return new Held(new Task(null, null, true, null), null, null, Lsn.of(1, index));
  }

  @Test
  void answerWithoutNewRecordsLeavesAtOnce() {
    assertTrue(gate.isOpenFor(Lsn.ZERO));
    assertEquals(List.of(), gate.durable(Lsn.of(3, 7)));
    assertTrue(gate.isOpenFor(Lsn.of(3, 7)));
    assertTrue(gate.isOpenFor(Lsn.of(2, 900)));
    assertFalse(gate.isOpenFor(Lsn.of(3, 8)));
  }

  @Test
  void answersLeaveWhenTheirLsnIsDurableInOrder() {
    Held second = held(2);
    Held third = held(3);
    gate.hold(second);
    gate.hold(first);
    gate.hold(third);
    assertEquals(List.of(first, second), gate.durable(Lsn.of(1, 2)));
    assertEquals(List.of(third), gate.drain());
    assertEquals(List.of(), gate.durable(Lsn.of(1, 9)));
  }
}
