package org.weft.metadata.repair;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What the volumes of a manager remember of files that they rebuilt. */
class LeftFilesTest {
  private final LeftFiles files = new LeftFiles(80);

  @Test
  void allVolumesOfAManagerHaveOneBoundTogether() {
    LeftFiles.Share one = files.open();
    LeftFiles.Share other = files.open();
    assertTrue(one.holds(40));
    assertTrue(other.holds(39));
    assertFalse(other.holds(40));
    assertFalse(one.holds(40));
    other.close();
    assertTrue(one.holds(40));
  }

  @Test
  void moreIsRebuiltOnlyWhenAnEighthIsFree() {
    LeftFiles.Share one = files.open();
    assertFalse(one.holds(80));
    assertFalse(one.holds(70));
    assertTrue(one.holds(69));
    assertTrue(one.holds(79));
  }
}
