package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.scrub.Scrubber;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ScrubNotes;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.storage.StorageFaults;

/** Everything that is stored is read within a period, and what is bad is told until it is well. */
class ScrubTest {
  private static final String SEGMENT = "segment-00000000";
  private static final long PERIOD_MILLIS = TimeUnit.HOURS.toMillis(6);

  private Rig rig;
  private Scrubber scrubber;
  private boolean busy;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
  }

  private void scrub() {
    Environment environment =
        new Environment(rig.time, rig.time, rig.time, rig.random, null, () -> "boot");
    scrubber = new Scrubber(PERIOD_MILLIS, rig.store, () -> busy, environment);
    scrubber.start();
    rig.time.pass(TimeUnit.MILLISECONDS.toNanos(1));
  }

  private void pass(double periods) {
    rig.time.pass((long) (TimeUnit.MILLISECONDS.toNanos(PERIOD_MILLIS) * periods));
  }

  private void assertProblem(String about) {
    assertEquals(1, scrubber.problems().size(), scrubber.problems().toString());
    assertTrue(scrubber.problems().get(0).contains(about), scrubber.problems().get(0));
  }

  /** Everything, in steps of this many bytes. */
  private List<BadBlock> all(long stepBytes) throws WeftException {
    List<BadBlock> bad = new ArrayList<>();
    MediumPlace place = MediumPlace.START;
    while (place != null) {
      MediumLook seen = rig.store.medium().look(place, stepBytes);
      bad.addAll(seen.bad());
      place = seen.next().orElse(null);
    }
    return bad;
  }

  @Test
  void everyBlockIsRead() throws Exception {
    byte[] data = random(1, 300 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.apply(write(2, 1000 * BLOCK, random(2, BLOCK)).build());
    // Over the first: the old block is kept by the pending write.
    rig.apply(write(2, 1000 * BLOCK, random(3, BLOCK)).by(100, 2).complete(1).build());
    for (long step : new long[] {1, 1 << 18, 1 << 30}) {
      rig.faults.failWhere(operation -> false, "");
      assertEquals(List.of(), all(step));
      rig.faults.failWhere(
          operation -> operation.kind() == StorageFaults.Kind.FILE_READ, "unreadable");
      List<BadBlock> bad = all(step);
      assertEquals(302, bad.size());
      for (int block = 0; block < 300; block++) {
        assertEquals(new BadBlock(object(1), block, false), bad.get(block));
      }
      assertEquals(new BadBlock(object(2), 1000, false), bad.get(300));
      assertEquals(new BadBlock(object(2), 1000, true), bad.get(301));
    }
  }

  @Test
  void aPassTakesNoLongerThanItsPeriod() throws Exception {
    for (int id = 1; id <= 20; id++) {
      rig.apply(write(id, 0, random(id, 100 * BLOCK)).build());
    }
    scrub();
    assertTrue(scrubber.figures().fullPassMillis().isEmpty());
    pass(0.4);
    long half = scrubber.figures().bytes();
    assertTrue(half > 0 && half < 20 * 100 * BLOCK, "not all at once: " + half);
    pass(0.65);
    assertTrue(scrubber.figures().fullPassMillis().isPresent());
    assertTrue(scrubber.figures().bytes() >= 20 * 100 * BLOCK);
    long after = scrubber.figures().bytes();
    pass(1);
    assertTrue(scrubber.figures().bytes() >= after + 19 * 100 * BLOCK, "and again");
    assertTrue(scrubber.figures().bytes() < 3 * after, "no more often than asked for");
    assertEquals(List.of(), scrubber.problems());
  }

  @Test
  void clientsGoFirstAndCannotPutItOffForEver() throws Exception {
    rig.apply(write(1, 0, random(1, 2000 * BLOCK)).build());
    busy = true;
    scrub();
    // Eight minutes and a half of ten.
    pass(8.5 / 360);
    assertEquals(0, scrubber.figures().bytes(), "an idle one had begun");
    pass(1);
    assertTrue(scrubber.figures().fullPassMillis().isPresent());
    busy = false;
  }

  @Test
  void aBadBlockIsAProblemUntilItIsWrittenAnew() throws Exception {
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).build());
    rig.apply(write(2, 0, random(2, BLOCK)).build());
    rig.segments.rot(SEGMENT, BLOCK + 100);
    rig.segments.rot(SEGMENT, 3 * BLOCK + 100);
    scrub();
    pass(1.1);
    assertProblem("2 bad blocks (block 1 of object 7/1; block 0 of object 7/2)");
    assertEquals(2, scrubber.figures().errors());
    assertTrue(rig.store.status().healthy(), "it is the scrubber's to tell");
    pass(2);
    assertEquals(2, scrubber.figures().errors(), "counted once");
    rig.apply(write(1, BLOCK, random(4, BLOCK)).by(100, 2).complete(1).build());
    rig.apply(complete(1, client(100), 2));
    pass(0.1);
    assertProblem("1 bad block (block 0 of object 7/2)");
    rig.apply(removal(2, 500));
    pass(0.1);
    assertEquals(List.of(), scrubber.problems());
    assertEquals(0, scrubber.figures().badBlocks());
  }

  @Test
  void badBlocksAreReportedAfterAKill() throws Exception {
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).build());
    rig.segments.rot(SEGMENT, 100);
    scrub();
    pass(1.1);
    rig.restart();
    scrub();
    assertProblem("block 0 of object 7/1");
    assertTrue(scrubber.figures().fullPassMillis().isPresent());
    assertEquals(0, scrubber.figures().errors());
    rig.stop();
    rig.assertDamaged(1);
  }

  @Test
  void aPassGoesOnWhereAKillCutItOff() throws Exception {
    for (int id = 1; id <= 20; id++) {
      rig.apply(write(id, 0, random(id, 100 * BLOCK)).build());
    }
    long read = 0;
    scrub();
    for (int start = 0; start < 8 && scrubber.figures().fullPassMillis().isEmpty(); start++) {
      pass(0.2);
      read += scrubber.figures().bytes();
      rig.restart();
      scrub();
    }
    assertTrue(scrubber.figures().fullPassMillis().isPresent());
    assertTrue(read < 20 * 100 * BLOCK * 1.5, "read " + read);
  }

  @Test
  void anOrderlyEndLosesNoProgress() throws Exception {
    for (int id = 1; id <= 20; id++) {
      rig.apply(write(id, 0, random(id, 100 * BLOCK)).build());
    }
    scrub();
    pass(0.2);
    scrubber.close();
    ScrubNotes notes = rig.store.medium().notes().orElseThrow();
    assertEquals(scrubber.figures().bytes(), notes.passBytes());
    assertFalse(notes.place().equals(MediumPlace.START));
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aStoreThatCannotNoteIsScrubbedAllTheSame() throws Exception {
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).build());
    rig.await(rig.store.checkpointNow());
    rig.segments.rot(SEGMENT, 100);
    rig.faults.failWhere(operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE, "no space");
    scrub();
    pass(1.1);
    assertProblem("block 0 of object 7/1");
  }
}
