package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.wire.VolumeHealth;

class JournalProgressTest {
  @TempDir Path folder;

  private final Queue<Runnable> writes = new ArrayDeque<>();
  private SegmentDirectory files;

  @BeforeEach
  void open() throws IOException {
    files = new FileSegmentDirectory(folder);
  }

  private static List<VolumeHealth> journal(long records) {
    return List.of(
        VolumeHealth.newBuilder()
            .setVolumeId(1)
            .setEpoch(3)
            .setJournalRecords(records)
            .setJournalBytes(100 * records)
            .build());
  }

  private void writeAll() {
    while (!writes.isEmpty()) {
      writes.remove().run();
    }
  }

  @Test
  void changeIsReportedOnceItIsStored() throws IOException {
    JournalProgress progress = JournalProgress.read(files);
    progress.look(journal(1), 0, writes::add);
    assertEquals(0, progress.durable());
    assertEquals(0, JournalProgress.read(files).atOpening());
    writeAll();
    assertEquals(1, progress.durable());
    assertEquals(1, JournalProgress.read(files).atOpening());
  }

  @Test
  void unchangedJournalAddsNoProgress() throws IOException {
    JournalProgress progress = JournalProgress.read(files);
    for (int beat = 0; beat < 5; beat++) {
      progress.look(journal(7), 0, writes::add);
      writeAll();
    }
    assertEquals(1, progress.durable());
    progress.look(journal(8), 0, writes::add);
    writeAll();
    assertEquals(2, progress.durable());
  }

  @Test
  void numberNeverFallsWhenJournalsShrinkOrVolumesGo() throws IOException {
    JournalProgress progress = JournalProgress.read(files);
    progress.look(journal(9), 0, writes::add);
    writeAll();
    progress.look(journal(2), 0, writes::add);
    writeAll();
    progress.look(List.of(), 0, writes::add);
    writeAll();
    assertEquals(3, progress.durable());
    assertEquals(3, JournalProgress.read(files).atOpening());
  }

  @Test
  void onlyOneNumberIsWrittenAtATime() throws IOException {
    JournalProgress progress = JournalProgress.read(files);
    progress.look(journal(1), 0, writes::add);
    progress.look(journal(2), 0, writes::add);
    assertEquals(1, writes.size());
    writeAll();
    progress.look(journal(2), 0, writes::add);
    assertEquals(1, writes.size());
  }

  /** A backup may host nothing: what it holds of other managers' journals counts all the same. */
  @Test
  void changeOfACopyIsStoredThoughNoVolumeIsServed() throws IOException {
    JournalProgress progress = JournalProgress.read(files);
    progress.look(List.of(), 0, writes::add);
    writeAll();
    assertEquals(0, progress.durable());
    progress.look(List.of(), 3, writes::add);
    writeAll();
    progress.look(List.of(), 3, writes::add);
    writeAll();
    assertEquals(1, JournalProgress.read(files).atOpening());
  }

  @Test
  void damagedFileIsNamed() throws IOException {
    Files.writeString(folder.resolve(JournalProgress.FILE), "count=x\n");
    IOException damaged = assertThrows(IOException.class, () -> JournalProgress.read(files));
    assertTrue(damaged.getMessage().contains("progress"), damaged::getMessage);
  }
}
