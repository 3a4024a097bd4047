package org.weft.client.stripe.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Memory with several holders. */
class ReferencesTest {
  private final AtomicInteger freed = new AtomicInteger();
  private final References references = new References(freed::incrementAndGet);

  @Test
  void memoryGoesBackOnceWithItsLastHolder() {
    references.retain();
    references.release();
    assertEquals(0, freed.get());
    references.release();
    assertEquals(1, freed.get());
  }

  @Test
  void memoryThatHasGoneBackIsNeitherSharedNorGivenBack() {
    references.release();
    assertThrows(IllegalStateException.class, references::retain);
    assertThrows(IllegalStateException.class, references::release);
    assertEquals(1, freed.get());
  }
}
