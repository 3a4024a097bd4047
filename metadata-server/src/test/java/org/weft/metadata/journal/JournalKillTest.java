package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.system.FileSegmentDirectory;

/**
 * Rule 1 of the design, for a journal: {@code kill -9} of the process that appends, at random
 * points under load, loses nothing that it has acknowledged. {@code -Dweft.kill.rounds=N} sets how
 * often.
 */
class JournalKillTest {
  private static final int ROUNDS = Integer.getInteger("weft.kill.rounds", 5);

  @TempDir Path folder;

  @Test
  @Timeout(600)
  void acknowledgedRecordsAreReplayedAfterKillNine() throws Exception {
    Random random = new Random(42);
    Lsn lastBefore = Lsn.ZERO;
    long acknowledgedInAll = 0;
    for (int epoch = 1; epoch <= ROUNDS; epoch++) {
      Killed killed = runAndKill(epoch, 1 + random.nextInt(6_000));
      acknowledgedInAll += killed.acknowledged();
      assertEquals(
          lastBefore.value(), killed.openedAt(), "epoch " + epoch + " began at the found end");
      lastBefore = check(epoch, killed.lastAcknowledged());
    }
    assertTrue(acknowledgedInAll >= ROUNDS, "acknowledged " + acknowledgedInAll);
    System.out.println(
        "journal kill test: " + ROUNDS + " rounds, " + acknowledgedInAll + " acknowledged records");
  }

  private record Killed(long openedAt, long lastAcknowledged, long acknowledged) {}

  /** Kills the child as soon as it has acknowledged so many; then reads what it still said. */
  private Killed runAndKill(long epoch, int killAfter) throws IOException, InterruptedException {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                AppendLoad.class.getName(),
                folder.toString(),
                Long.toString(epoch))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long openedAt = -1;
    long last = -1;
    long count = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(child.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("open ")) {
          openedAt = Long.parseLong(line.substring(5));
        } else if (line.matches("ack [0-9]+")) {
          last = Long.parseLong(line.substring(4));
          count++;
        }
        if (count == killAfter) {
          child.toHandle().destroyForcibly();
        }
      }
    } finally {
      child.toHandle().destroyForcibly();
      child.waitFor();
    }
    return new Killed(openedAt, last, count);
  }

  private Lsn check(long epoch, long lastAcknowledged) throws IOException {
    Scheduler unusedThreads = new StepScheduler();
    FileJournal log =
        FileJournal.open(
            new FileSegmentDirectory(folder),
            Samples.IDENTITY,
            unusedThreads,
            new Random(1),
            JournalOptions.DEFAULT);
    JournalContents contents = log.contents();
    assertTrue(
        Long.compareUnsigned(contents.lastLsn().value(), lastAcknowledged) >= 0,
        "acknowledged " + new Lsn(lastAcknowledged) + ", found " + contents.lastLsn());
    long counter = 0;
    for (LiveEffect effect : contents.liveState()) {
      counter = ((LiveEffect.Counter) effect).next();
    }
    long index = 0;
    for (JournalRecord record : contents.records()) {
      List<Effect> expected = AppendLoad.record(record.lsn()).effects();
      if (record.lsn().epoch() == epoch) {
        assertEquals(index++, record.lsn().index(), "a hole in the log");
      }
      if (record.effects().size() == 1) {
        assertEquals(expected.subList(0, 1), record.effects());
      } else if (record.effects().size() == 2) {
        assertTrue(record.lsn().epoch() < epoch, "dropped before its time");
        assertEquals(expected.subList(1, 3), record.effects());
        counter = record.lsn().value();
      } else {
        assertEquals(expected, record.effects());
        counter = record.lsn().value();
      }
    }
    assertNotNull(contents.liveState());
    assertEquals(contents.lastLsn().value(), counter, "live state as of the last record");
    log.close();
    return contents.lastLsn();
  }
}
