package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.SmallDisk;

/** The real store on a real disk that fills up; {@link FullDiskChild} says how. */
@Tag("long")
class FullDiskTest {
  private static final int DISK_MEBIBYTES = 300;

  @TempDir Path folder;

  @Test
  void aFullDiskHarmsNothingAndWhatIsRemovedCounts() throws Exception {
    assumeTrue(SmallDisk.isPossible(folder), "no disk can be mounted here");
    String output = SmallDisk.run(folder, DISK_MEBIBYTES, FullDiskChild.class);
    System.out.println(output);
    assertFalse(output.contains("wrong"), output);
    assertTrue(output.strip().endsWith("done"), output);
  }
}
