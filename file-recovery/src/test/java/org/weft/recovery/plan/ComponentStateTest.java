package org.weft.recovery.plan;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ComponentStateTest {
  private static ComponentState of(long eofBytes, int truncationNumber, long componentBytes) {
    return new ComponentState(
        List.of(), new TreeMap<>(), eofBytes, truncationNumber, componentBytes);
  }

  /** An OSD keeps the length to which an undone write had brought a component. */
  @Test
  void whatHoldsOnlyUndoneWritesIsBlank() {
    assertTrue(of(0, 0, 8_192).isBlank());
    assertTrue(of(0, 0, 0).isBlank());
    assertFalse(of(1, 0, 0).isBlank());
    assertFalse(of(0, 1, 0).isBlank(), "it was cut, and heard of that");
  }
}
