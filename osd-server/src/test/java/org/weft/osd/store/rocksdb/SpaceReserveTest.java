package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.SmallDisk;

/** On a full disk there is space for what others wait for, and its end is told apart (P 5.8). */
class SpaceReserveTest {
  private static final int DISK_MEBIBYTES = 220;

  @TempDir Path folder;

  @Test
  void urgentBatchesFitAFullDiskUntilTheReserveEnds() throws Exception {
    assumeTrue(SmallDisk.isPossible(folder), "no disk can be mounted here");
    List<String> lines =
        SmallDisk.run(folder, DISK_MEBIBYTES, SpaceReserveChild.class)
            .lines()
            .filter(line -> line.startsWith("ordinary") || line.startsWith("urgent"))
            .toList();
    assertEquals(
        List.of(
            "ordinary taken, held true",
            "ordinary refused, takes all false",
            "urgent taken, held false",
            "ordinary refused",
            "urgent refused, the reserve is used up",
            "ordinary taken, held before a sync false",
            "ordinary taken, held true"),
        lines);
  }
}
