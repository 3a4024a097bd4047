package org.weft.metadata.readmission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** The steps of an OSD out of its quarantine (P 5.8), against a volume that only remembers. */
final class ReadmissionTest {
  private static final OsdId ONE = new OsdId(1);
  private static final QuarantinedOsd AWAY = new QuarantinedOsd(ONE, 4, 2, false);
  private static final QuarantinedOsd UNCLEAN = new QuarantinedOsd(ONE, 4, 2, true);

  private final VirtualTime time = new VirtualTime(1);
  private final Volume volume = new Volume();
  private final Readmission readmission =
      new Readmission(
          volume,
          new Environment(
              time, time, time, new SplittableRandom(1), new VirtualWire(time, 1), () -> "boot"),
          time.newSerialExecutor("home"));

  /** What is asked of the volume, in order. */
  private static final class Volume implements ComparedVolume {
    final List<QuarantinedOsd> quarantined = new ArrayList<>();
    final TreeMap<OsdId, Integer> copies = new TreeMap<>();
    final TreeMap<OsdId, Integer> removals = new TreeMap<>();
    final TreeMap<OsdId, Long> suspects = new TreeMap<>();
    final List<String> asked = new ArrayList<>();
    WeftException refusal;
    Error error;
    boolean forgetful;

    @Override
    public List<QuarantinedOsd> quarantined() {
      return List.copyOf(quarantined);
    }

    @Override
    public int waitingCopies(OsdId osd) {
      return copies.getOrDefault(osd, 0);
    }

    @Override
    public int waitingRemovals(OsdId osd) {
      return removals.getOrDefault(osd, 0);
    }

    @Override
    public long suspectFiles(OsdId osd) {
      return suspects.getOrDefault(osd, 0L);
    }

    @Override
    public CompletableFuture<Void> giveUpLosses(QuarantinedOsd osd) {
      return answer("give up " + osd.osd());
    }

    @Override
    public CompletableFuture<Void> readmit(QuarantinedOsd osd) {
      CompletableFuture<Void> answer = answer("readmit " + osd.osd());
      if (refusal == null && !forgetful) {
        quarantined.remove(osd);
      }
      return answer;
    }

    private CompletableFuture<Void> answer(String what) {
      asked.add(what);
      if (error != null) {
        Error thrown = error;
        error = null;
        throw thrown;
      }
      return refusal == null
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(refusal);
    }
  }

  private void pass(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void clientsDoNotWaitIfNoOsdWasAway() {
    assertTrue(readmission.start().isDone());
    pass(10_000);
    assertEquals(List.of(), volume.asked);
    assertEquals(List.of(), readmission.problems());
  }

  @Test
  void osdIsReadmittedOnceNoCopyLags() {
    volume.quarantined.add(AWAY);
    volume.copies.put(ONE, 3);
    CompletableFuture<Void> started = readmission.start();
    pass(3_000);
    assertEquals(List.of(), volume.asked);
    assertFalse(started.isDone());
    assertTrue(
        readmission.problems().get(0).contains("3 objects"), readmission.problems()::toString);
    volume.copies.clear();
    pass(1_000);
    assertEquals(List.of("readmit 1"), volume.asked);
    assertTrue(started.isDone());
    assertEquals(List.of(), readmission.problems());
  }

  @Test
  void copiesThatCannotBeRefreshedDoNotHoldUpClientsForEver() {
    volume.quarantined.add(AWAY);
    volume.copies.put(ONE, 1);
    var unused = readmission.start();
    pass(59_000);
    assertEquals(List.of(), volume.asked);
    pass(3_000);
    assertEquals(List.of("readmit 1"), volume.asked);
  }

  @Test
  void pendingRemovalDelaysTheReadmission() {
    volume.quarantined.add(AWAY);
    volume.copies.put(ONE, 1);
    volume.removals.put(ONE, 1);
    var unused = readmission.start();
    pass(300_000);
    assertEquals(List.of(), volume.asked);
    volume.removals.clear();
    volume.copies.clear();
    pass(1_000);
    assertEquals(List.of("readmit 1"), volume.asked);
  }

  @Test
  void possibleLossesAreGivenUpFirstAndOnce() {
    volume.quarantined.add(UNCLEAN);
    volume.copies.put(ONE, 1);
    var unused = readmission.start();
    pass(2_000);
    assertEquals(List.of("give up 1"), volume.asked);
    volume.copies.clear();
    pass(1_000);
    assertEquals(List.of("give up 1", "readmit 1"), volume.asked);
    // Another quarantine of the same OSD is another matter.
    volume.quarantined.add(new QuarantinedOsd(ONE, 5, 3, true));
    pass(1_000);
    assertEquals(List.of("give up 1", "readmit 1", "give up 1", "readmit 1"), volume.asked);
  }

  /** Else readers would decode from what fell back. */
  @Test
  void acceptedSuspectsAreResolvedFirst() {
    volume.quarantined.add(UNCLEAN);
    volume.suspects.put(ONE, 2L);
    CompletableFuture<Void> started = readmission.start();
    pass(1_000);
    assertTrue(started.isDone(), "which takes a volume that is served");
    pass(3_000);
    assertEquals(List.of("give up 1"), volume.asked);
    assertTrue(readmission.problems().get(0).contains("2 files"), readmission.problems()::toString);
    volume.suspects.clear();
    pass(1_000);
    assertEquals(List.of("give up 1", "readmit 1"), volume.asked);
  }

  /** What they wait for may never come back. */
  @Test
  void unresolvableFilesDoNotBlockOtherFiles() {
    volume.quarantined.add(UNCLEAN);
    volume.suspects.put(ONE, 1L);
    var unused = readmission.start();
    pass(59_000);
    assertEquals(List.of("give up 1"), volume.asked);
    pass(4_000);
    assertEquals(List.of("give up 1", "readmit 1"), volume.asked);
  }

  @Test
  void readmissionErrorIsReportedAndRetried() {
    QuarantinedOsd other = new QuarantinedOsd(new OsdId(2), 3, 1, false);
    volume.quarantined.add(AWAY);
    volume.quarantined.add(other);
    volume.error = new InternalError("no memory is left");
    var unused = readmission.start();
    pass(500);
    assertEquals(List.of("readmit 1", "readmit 2"), volume.asked);
    assertTrue(
        readmission.problems().get(0).contains("no memory is left"),
        readmission.problems()::toString);
    pass(1_000);
    assertEquals(List.of("readmit 1", "readmit 2", "readmit 1"), volume.asked);
    assertEquals(List.of(), volume.quarantined());
  }

  @Test
  void readmissionRefusalIsReportedAndRetried() {
    volume.quarantined.add(UNCLEAN);
    volume.refusal = new WeftException(ErrorCode.UNAVAILABLE, "file 7 is being written");
    var unused = readmission.start();
    pass(2_500);
    assertEquals(List.of("give up 1", "give up 1", "give up 1"), volume.asked);
    assertTrue(
        readmission.problems().get(0).contains("file 7 is being written"),
        readmission.problems()::toString);
    volume.refusal = null;
    pass(3_000);
    assertEquals("readmit 1", volume.asked.get(volume.asked.size() - 1));
  }

  @Test
  void readmissionIsRepeatedWhileTheOsdWaits() {
    volume.quarantined.add(AWAY);
    volume.forgetful = true;
    CompletableFuture<Void> started = readmission.start();
    pass(4_000);
    assertEquals(List.of("readmit 1"), volume.asked);
    assertFalse(started.isDone());
    pass(7_000);
    assertTrue(volume.asked.size() >= 2);
    assertTrue(started.isDone(), "clients do not wait for ever");
    readmission.close();
    int asked = volume.asked.size();
    pass(20_000);
    assertEquals(asked, volume.asked.size());
  }
}
