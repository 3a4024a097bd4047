package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.SmallDisk;

class FullDiskMarkTest {
  @TempDir Path folder;

  @Test
  void aFullDiskRefusesTheMarkInsteadOfKillingTheProcess() throws Exception {
    assumeTrue(SmallDisk.isPossible(folder), "no disk can be mounted here");
    List<String> lines = SmallDisk.run(folder, 2, FullDiskMarkChild.class).lines().toList();
    assertEquals(
        List.of("refused: No space left on device", "Reach[written=5, synced=3]"),
        lines.stream().filter(line -> !line.isBlank()).toList());
  }
}
