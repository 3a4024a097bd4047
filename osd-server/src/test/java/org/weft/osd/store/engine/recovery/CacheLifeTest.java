package org.weft.osd.store.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What the page cache outlived (P 5.9). */
class CacheLifeTest {
  private static final CacheLife MOUNTED = new CacheLife("boot", "ext4/sda1 7");

  @Test
  void anotherBootOrAnotherMountIsAnotherLife() {
    assertTrue(MOUNTED.lastsIn(MOUNTED));
    assertFalse(MOUNTED.lastsIn(new CacheLife("next", "ext4/sda1 7")));
    assertFalse(MOUNTED.lastsIn(new CacheLife("boot", "ext4/sda1 8")));
    assertFalse(MOUNTED.lastsIn(new CacheLife("boot", "")), "it cannot be told any more");
  }

  @Test
  void withoutMountNamesTheBootAloneDecides() {
    CacheLife unnamed = new CacheLife("boot", "");
    assertTrue(unnamed.lastsIn(unnamed));
    assertTrue(unnamed.lastsIn(MOUNTED));
    assertFalse(unnamed.lastsIn(new CacheLife("next", "")));
  }

  @Test
  void theHeadersTextIsParsedAgain() {
    assertEquals(MOUNTED, CacheLife.parse(MOUNTED.toString()));
    assertEquals(new CacheLife("boot", ""), CacheLife.parse("boot"));
    assertEquals("boot", new CacheLife("boot", "").toString());
  }
}
