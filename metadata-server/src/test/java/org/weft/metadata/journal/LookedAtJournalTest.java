package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.SegmentFile;

/** A journal that is looked at tells what a start would find, and stays as it is (P 6.8d). */
class LookedAtJournalTest {
  private static final JournalOptions SMALL =
      new JournalOptions(16 << 10, 8 << 10, 2 * JournalLog.MAX_RECORD_BYTES, 64);

  private final StepScheduler scheduler = new StepScheduler();
  private final Random random = new Random(12);
  private final PowerLossDirectory directory = new PowerLossDirectory();

  private FileJournal open() throws IOException {
    return FileJournal.open(directory, Samples.IDENTITY, scheduler, random, SMALL);
  }

  private JournalContents look(JournalIdentity identity) throws IOException {
    return UnwrittenJournal.look(new LookedAtFiles("here", directory), identity).contents();
  }

  private void fill() throws IOException {
    FileJournal log = open();
    for (int index = 0; index < 100; index++) {
      var unused = log.append(Samples.record(Lsn.of(1, index), random));
      scheduler.runAll();
    }
    log.close();
  }

  private String newest() throws IOException {
    return directory.list().stream().reduce((one, other) -> other).orElseThrow();
  }

  private SortedMap<String, byte[]> bytes() throws IOException {
    SortedMap<String, byte[]> all = new TreeMap<>();
    for (String name : directory.list()) {
      try (SegmentFile file = directory.open(name)) {
        ByteBuffer content = ByteBuffer.allocate((int) file.sizeBytes());
        file.read(content, 0);
        all.put(name, content.array());
      }
    }
    return all;
  }

  private void assertSame(SortedMap<String, byte[]> before) throws IOException {
    SortedMap<String, byte[]> now = bytes();
    assertEquals(before.keySet(), now.keySet());
    before.forEach((name, content) -> assertArrayEquals(content, now.get(name), name));
  }

  @Test
  void lookFindsTheSameAsAStartForEveryTornTail() throws IOException {
    fill();
    String newest = newest();
    long sizeBytes;
    try (SegmentFile file = directory.open(newest)) {
      sizeBytes = file.sizeBytes();
    }
    for (long keep = sizeBytes; keep >= 0; keep -= 61) {
      try (SegmentFile file = directory.open(newest)) {
        file.resize(keep);
      }
      SortedMap<String, byte[]> before = bytes();
      JournalContents looked = look(Samples.IDENTITY);
      assertSame(before);
      // A start mends what it finds: it gets the same files, and another directory.
      PowerLossDirectory copy = new PowerLossDirectory();
      for (var each : before.entrySet()) {
        try (SegmentFile file = copy.create(each.getKey())) {
          file.write(new ByteBuffer[] {ByteBuffer.wrap(each.getValue())}, 0);
        }
      }
      JournalContents opened =
          FileJournal.open(copy, Samples.IDENTITY, scheduler, random, SMALL).contents();
      assertEquals(opened, looked, "cut at " + keep);
    }
  }

  @Test
  void lookSkipsAndKeepsBytesBehindTheTail() throws IOException {
    fill();
    JournalContents whole = look(Samples.IDENTITY);
    try (SegmentFile file = directory.open(newest())) {
      byte[] torn = new byte[300];
      random.nextBytes(torn);
      file.write(new ByteBuffer[] {ByteBuffer.wrap(torn)}, file.sizeBytes());
    }
    SortedMap<String, byte[]> before = bytes();
    assertEquals(whole, look(Samples.IDENTITY));
    assertSame(before);
  }

  @Test
  void theJournalOfAnotherVolumeOrClusterIsRefused() throws IOException {
    fill();
    for (JournalIdentity other :
        List.of(
            new JournalIdentity(new PartitionId(77), Samples.IDENTITY.cluster()),
            new JournalIdentity(Samples.IDENTITY.volume(), new ClusterId("f".repeat(32))))) {
      WeftException refused = assertThrows(WeftException.class, () -> look(other));
      assertEquals(ErrorCode.WRONG_CLUSTER, refused.code());
    }
  }

  @Test
  void lookRefusesToChangeFiles() throws IOException {
    fill();
    LookedAtFiles looked = new LookedAtFiles("here", directory);
    SortedMap<String, byte[]> before = bytes();
    assertThrows(IOException.class, () -> looked.create("other"));
    assertThrows(IOException.class, () -> looked.delete(newest()));
    assertThrows(IOException.class, () -> looked.rename(newest(), "other"));
    try (SegmentFile file = looked.open(newest())) {
      assertThrows(IOException.class, () -> file.resize(0));
      IOException refused =
          assertThrows(
              IOException.class,
              () -> file.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[1])}, 0));
      assertTrue(refused.getMessage().contains("here/" + newest()), refused.getMessage());
    }
    assertSame(before);
  }
}
