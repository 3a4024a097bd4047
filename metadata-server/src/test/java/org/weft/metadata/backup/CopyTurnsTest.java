package org.weft.metadata.backup;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** How many journals are copied at a time. */
class CopyTurnsTest {
  @Test
  void turnIsFreedOnceAndOnlyOnce() {
    CopyTurns turns = new CopyTurns(2);
    CopyTurns.Turn first = turns.take();
    assertNotNull(turns.take());
    assertNull(turns.take());
    first.giveBack();
    first.giveBack();
    assertNotNull(turns.take());
    assertNull(turns.take());
  }
}
