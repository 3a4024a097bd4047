package org.weft.metadata.scrub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.check.Steps;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRange;

/**
 * A scrub of parity names what contradicts itself, at its rate, and goes on where it was (P 6.8f).
 */
class ParityScrubTest {
  private static final long TICK_MILLIS = 100;
  private static final long FAST = 1L << 30;
  private static final int DAY_MILLIS = 24 * 3_600_000;

  private final ScriptedFiles files = new ScriptedFiles();
  private final Deque<Runnable> home = new ArrayDeque<>();
  private long nowMillis = 1_700_000_000_000L;
  private final ScrubShares shares = new ScrubShares();
  private ParityScrub scrub;

  private void begin(ScrubOptions options) {
    scrub = scrubOf(files, options);
  }

  private ParityScrub scrubOf(ScriptedFiles scrubbed, ScrubOptions options) {
    return new ParityScrub(
        scrubbed,
        scrubbed,
        options,
        shares,
        () -> TimeUnit.MILLISECONDS.toNanos(nowMillis),
        () -> nowMillis,
        new Steps(home::add));
  }

  private void pass(long millis) {
    for (long passed = 0; passed < millis; passed += TICK_MILLIS) {
      nowMillis += TICK_MILLIS;
      scrub.look();
      while (!home.isEmpty()) {
        home.poll().run();
      }
    }
  }

  private void untilPasses(long passes) {
    for (int tick = 0; tick < 100_000 && files.reached().passes() < passes; tick++) {
      pass(TICK_MILLIS);
    }
    assertEquals(passes, files.reached().passes(), () -> scrub.progress().toString());
  }

  private Contradicted named(ObjectId object) {
    return files.contradicted().get(object);
  }

  @Test
  void soundFilesAreReadWithoutFindings() {
    files.file(70_000, 1);
    files.file(70_001, 40);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertEquals(41L * ScriptedFiles.READ_OF_STRIPE_BYTES, files.bytesRead);
    assertEquals(2, files.reached().last().files());
    assertEquals(2, files.reached().last().objects());
    assertEquals(0, files.reached().last().left());
    assertTrue(files.contradicted().isEmpty());
  }

  @Test
  void aContradictionIsNamedWithItsBytesAtOnce() {
    ObjectId object = files.file(70_000, 40);
    files.contradict(object, 2);
    files.contradict(object, 30);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    Contradicted found = named(object);
    assertEquals(2, found.units());
    long stripe = ScriptedFiles.STRIPE_BYTES;
    assertEquals(
        List.of(new ByteRange(2 * stripe, 3 * stripe), new ByteRange(30 * stripe, 31 * stripe)),
        found.inDoubt().list());
    assertTrue(found.what().startsWith("/file-70000, object 70000: "), found.what());
    Contradicted first =
        files.recorded.stream()
            .filter(Contradicted.class::isInstance)
            .map(Contradicted.class::cast)
            .findFirst()
            .orElseThrow();
    assertEquals(1, first.units(), "the first one was not kept back until the file's end");
    assertEquals(List.of(found.what()), scrub.progress().words());
  }

  @Test
  void damagedBlocksAreNoContradiction() {
    ObjectId object = files.file(70_000, 4);
    files.damaged.put(object, 2);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertTrue(files.contradicted().isEmpty());
  }

  @Test
  void fileWrittenBetweenTwoReadsIsNotReported() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    files.restless.add(object);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertTrue(files.contradicted().isEmpty());
    assertEquals(1, files.reached().last().left(), "and it counts as not compared");
  }

  @Test
  void writtenFileIsScrubbedLater() {
    ObjectId busy = files.file(70_000, 4);
    files.file(70_001, 4);
    files.written.add(busy);
    begin(new ScrubOptions(FAST, 0));
    pass(30_000);
    assertFalse(files.read.contains(busy));
    assertEquals(List.of(busy), scrub.progress().reached().later());
    files.written.clear();
    untilPasses(1);
    assertTrue(files.read.contains(busy));
    assertEquals(2, files.reached().last().files());
    assertEquals(0, files.reached().last().left());
  }

  @Test
  void aFileThatIsWrittenAllTheTimeEndsNoPassNever() {
    files.written.add(files.file(70_000, 4));
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertEquals(1, files.reached().last().left());
    assertEquals(0, files.reached().last().files());
  }

  @Test
  void scrubWaitsWhileSomethingIsRebuilt() {
    files.rebuilt.add(files.file(70_000, 4));
    ObjectId other = files.file(70_001, 4);
    begin(new ScrubOptions(FAST, 0));
    pass(60_000);
    assertEquals(List.of(), files.read);
    assertTrue(scrub.progress().waits().contains("rebuilt"), scrub.progress().waits());
    files.rebuilt.clear();
    untilPasses(1);
    assertTrue(files.read.contains(other));
    assertEquals(2, files.reached().last().files());
    assertEquals("", scrub.progress().waits());
  }

  @Test
  void pendingRemovalOutsideTheMapDoesNotDelayTheScrub() {
    ObjectId rebuilt = files.file(70_000, 4);
    ObjectId behind = files.file(70_001, 4);
    files.lagging.put(rebuilt, new OsdId(9));
    files.lagging.put(behind, new OsdId(2));
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertEquals(List.of(rebuilt), files.read);
    assertEquals(1, files.reached().last().left(), "its copy on an OSD of the map is out of date");
  }

  @Test
  void noMoreIsReadThanTheRateAllows() {
    for (int each = 0; each < 10; each++) {
      files.file(70_000 + each, 100);
    }
    begin(new ScrubOptions(10 << 20, 0));
    pass(10_000);
    long most = 10 * (10L << 20) + (10L << 20) + ParityScrub.PIECE_BYTES;
    assertTrue(files.bytesRead <= most, files.bytesRead + " bytes in ten seconds");
    assertTrue(files.bytesRead >= 5 * (10L << 20), files.bytesRead + " bytes in ten seconds");
  }

  @Test
  void volumesOfAManagerReadNoMoreThanItsRateTogether() {
    ScriptedFiles others = new ScriptedFiles();
    files.file(70_000, 1_500);
    others.file(70_000, 1_500);
    ScrubOptions options = new ScrubOptions(10 << 20, 0);
    begin(options);
    ParityScrub other = scrubOf(others, options);
    for (int tick = 0; tick < 200; tick++) {
      other.look();
      pass(TICK_MILLIS);
    }
    long both = files.bytesRead + others.bytesRead;
    long most = 21 * (10L << 20) + 2 * ParityScrub.PIECE_BYTES;
    assertTrue(both <= most, both + " bytes in twenty seconds");
    assertTrue(both >= 10 * (10L << 20), both + " bytes in twenty seconds");
    assertTrue(
        Math.abs(files.bytesRead - others.bytesRead) <= 3 * ParityScrub.PIECE_BYTES,
        files.bytesRead + " and " + others.bytesRead + " bytes");
    other.close();
    long alone = files.bytesRead;
    pass(10_000);
    assertTrue(files.bytesRead - alone >= 6 * (10L << 20), "the other one has ended");
  }

  @Test
  void contradictionIsReportedOnceItCanBeRecorded() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    begin(new ScrubOptions(1 << 20, 0));
    while (!files.read.contains(object)) {
      files.refuses = files.lists > 0;
      pass(TICK_MILLIS);
    }
    assertTrue(files.contradicted().isEmpty());
    assertTrue(scrub.progress().waits().contains("full"), scrub.progress().waits());
    files.refuses = false;
    untilPasses(1);
    assertEquals(1, named(object).units());
    assertEquals(1, files.reached().last().files());
  }

  @Test
  void fileWrittenDuringItsScrubIsScrubbedAgain() {
    ObjectId object = files.file(70_000, 400);
    files.contradict(object, 1);
    begin(new ScrubOptions(4 << 20, 14));
    while (files.contradicted().isEmpty()) {
      pass(TICK_MILLIS);
    }
    assertEquals(0, files.reached().passes(), "more of it is to be looked at");
    files.wrong.clear();
    files.changed(object);
    untilPasses(1);
    pass(2 * 60_000);
    assertTrue(files.contradicted().isEmpty());
    assertEquals(1, files.reached().passes(), "without another pass");
  }

  @Test
  void passDoesNotWaitForEachFileOfAnAbsentOsd() {
    for (int each = 0; each < 500; each++) {
      files.rebuilt.add(files.file(70_000 + each, 1));
    }
    ObjectId last = files.file(80_000, 1);
    begin(new ScrubOptions(FAST, 0));
    pass(3 * 3_600_000);
    assertTrue(files.read.contains(last));
    assertEquals(1, files.reached().passes());
    assertEquals(1, files.reached().last().files());
    assertEquals(500, files.reached().last().left());
  }

  @Test
  void smallFilesCountForTheirRoundTrips() {
    for (int each = 0; each < 1_000; each++) {
      files.file(70_000 + each, 1);
    }
    begin(new ScrubOptions(4 << 20, 0));
    pass(10_000);
    long most = 11 * (4L << 20) / ParityScrub.MIN_FILE_BYTES + 1;
    assertTrue(files.read.size() <= most, files.read.size() + " files in ten seconds");
    assertTrue(files.read.size() >= 60, files.read.size() + " files in ten seconds");
  }

  @Test
  void scrubContinuesAtItsPlaceAfterAFailover() {
    ObjectId early = files.file(70_000, 4);
    ObjectId large = files.file(70_001, 20_000);
    ObjectId last = files.file(70_002, 4);
    begin(new ScrubOptions(4 << 20, 0));
    pass(11 * 60_000);
    Reached reached = files.reached();
    assertEquals(large, reached.object());
    assertTrue(reached.stripe() > 5_000, "recorded at stripe " + reached.stripe());
    assertTrue(
        files.recorded.stream().filter(Reached.class::isInstance).count() <= 4,
        "its place is recorded rarely: " + files.recorded);
    long before = files.bytesRead;
    files.read.clear();
    files.failover();
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertFalse(files.read.contains(early), "it was looked at");
    assertTrue(files.read.contains(last));
    assertEquals(
        (20_000 - reached.stripe() + 4) * ScriptedFiles.READ_OF_STRIPE_BYTES,
        files.bytesRead - before);
    assertEquals(3, files.reached().last().files());
  }

  @Test
  void filesThatWaitAreNotForgottenWithTheirManager() {
    ObjectId busy = files.file(70_000, 4);
    files.file(70_001, 20_000);
    files.written.add(busy);
    begin(new ScrubOptions(4 << 20, 0));
    pass(6 * 60_000);
    assertEquals(List.of(busy), files.reached().later());
    files.written.clear();
    files.failover();
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertTrue(files.read.contains(busy));
  }

  @Test
  void rewrittenFileIsNoLongerReported() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    begin(new ScrubOptions(FAST, 14));
    untilPasses(1);
    pass(10 * 60_000);
    int looks = files.read.size();
    pass(10 * 60_000);
    assertEquals(looks, files.read.size(), "a file that has not changed is not read again");
    files.wrong.clear();
    files.changed(object);
    pass(2 * 60_000);
    assertTrue(files.contradicted().isEmpty());
    assertEquals(1, files.reached().passes(), "without another pass");
  }

  @Test
  void lastingContradictionKeepsItsFirstTime() {
    ObjectId object = files.file(70_000, 40);
    files.contradict(object, 1);
    files.contradict(object, 39);
    begin(new ScrubOptions(FAST, 14));
    untilPasses(1);
    long since = named(object).sinceMillis();
    files.wrong.get(object).remove(1L);
    files.changed(object);
    pass(2 * 60_000);
    assertEquals(1, named(object).units());
    assertEquals(1, named(object).inDoubt().size());
    assertEquals(since, named(object).sinceMillis());
  }

  @Test
  void changingReportedFileLeavesHalfTheRateToPasses() {
    ObjectId large = files.file(70_000, 2_000);
    files.contradict(large, 1);
    begin(new ScrubOptions(1 << 20, 0));
    untilPasses(1);
    for (int each = 1; each <= 100; each++) {
      files.file(70_000 + each, 40);
    }
    // Half of the rate is left for the passes.
    for (int minute = 0; minute < 45 && files.reached().passes() < 2; minute++) {
      files.changed(large);
      pass(60_000);
    }
    assertEquals(2, files.reached().passes());
    assertTrue(files.contradicted().containsKey(large));
  }

  @Test
  void fileIsSkippedWhileOneOfItsOsdsDoesNotServe() {
    ObjectId object = files.file(70_000, 4);
    files.away.add(new OsdId(2));
    begin(new ScrubOptions(FAST, 0));
    pass(10 * 60_000);
    assertFalse(files.read.contains(object));
    files.away.clear();
    untilPasses(1);
    assertTrue(files.read.contains(object));
  }

  @Test
  void reportedFileTruncatedToZeroIsForgotten() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    begin(new ScrubOptions(FAST, 14));
    untilPasses(1);
    files.files.put(object, files.files.get(object).edit().sizeBytes(0).build());
    files.changed(object);
    pass(2 * 60_000);
    assertTrue(files.contradicted().isEmpty());
  }

  @Test
  void passesBeginWhenTheirDaysAreOver() {
    ObjectId object = files.file(70_000, 1);
    begin(new ScrubOptions(FAST, 2));
    pass(5 * 60_000);
    assertEquals(List.of(), files.read, "not while clients come back");
    untilPasses(1);
    pass(DAY_MILLIS / 100);
    assertEquals(List.of(object), files.read);
    nowMillis += 2L * DAY_MILLIS;
    untilPasses(2);
    assertEquals(2, files.read.size());
    nowMillis -= 30L * DAY_MILLIS;
    ScriptedFiles same = files;
    same.failover();
    begin(new ScrubOptions(FAST, 2));
    untilPasses(3);
  }

  @Test
  void disabledScrubReadsNothing() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    begin(ScrubOptions.OFF);
    pass(30 * 60_000);
    assertEquals(0, files.lists);
    assertFalse(scrub.progress().on());
  }

  @Test
  void silentOsdLeavesItsFilesToTheNextPass() {
    files.silent.add(files.file(70_000, 4));
    ObjectId other = files.file(70_001, 4);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertTrue(files.read.contains(other));
    assertEquals(1, files.reached().last().left());
  }

  @Test
  void manyFilesComeWindowAfterWindowEachOnce() {
    for (int each = 0; each < 700; each++) {
      files.file(70_000 + 3L * each, 1);
    }
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertEquals(700, files.read.size());
    assertEquals(700, new HashSet<>(files.read).size());
    assertEquals(700, files.reached().last().objects());
  }

  @Test
  void theTableIsMadeAgainByItsSnapshot() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    begin(new ScrubOptions(FAST, 14));
    untilPasses(1);
    ScrubTable again = new ScrubTable();
    for (ScrubEffect effect : files.recorded) {
      again.apply(effect);
    }
    files.failover();
    assertEquals(again.reached(), files.reached());
    assertEquals(again.contradicted(), files.contradicted());
    again.apply(Contradicted.over(object));
    assertTrue(again.contradicted().isEmpty());
  }

  @Test
  void postponedLargeFileContinuesAtItsStripeAfterAFailover() {
    int stripes = 4_000;
    ObjectId large = files.file(70_000, stripes);
    files.written.add(large);
    begin(new ScrubOptions(1 << 20, 0));
    pass(20_000);
    files.written.clear();
    pass(600_000);
    assertFalse(files.reached().laterStripes().isEmpty(), () -> files.reached().toString());
    files.failover();
    begin(new ScrubOptions(1 << 20, 0));
    untilPasses(1);
    long all = (long) stripes * ScriptedFiles.READ_OF_STRIPE_BYTES;
    assertTrue(files.bytesRead >= all, "all of it: " + files.bytesRead);
    assertTrue(files.bytesRead < all + all / 10, "and little twice: " + files.bytesRead);
    assertEquals(1, files.reached().last().files());
  }

  @Test
  void passKeepsItsRoundsAndWaitsAfterAFailover() {
    ObjectId busy = files.file(70_000, 4);
    files.written.add(busy);
    ObjectId broken = files.file(70_001, 4);
    files.silent.add(broken);
    begin(new ScrubOptions(FAST, 0));
    pass(7 * 60_000);
    assertEquals(0, files.reached().passes());
    Reached before = files.reached();
    assertTrue(before.rounds() > 0 && before.waits() > 0, before::toString);
    files.failover();
    begin(new ScrubOptions(FAST, 0));
    pass(TICK_MILLIS);
    Reached after = scrub.progress().reached();
    assertEquals(before.rounds(), after.rounds());
    assertEquals(before.waits(), after.waits());
  }

  @Test
  void findingInAPartlyReadFileIsReported() {
    ObjectId large = files.file(70_000, 1_000);
    files.contradict(large, 3);
    files.contradict(large, 700);
    begin(new ScrubOptions(4 << 20, 14));
    while (files.bytesRead < 800L * ScriptedFiles.READ_OF_STRIPE_BYTES) {
      pass(TICK_MILLIS);
    }
    files.silent.add(large);
    while (scrub.progress().reached().later().isEmpty()) {
      pass(TICK_MILLIS);
    }
    files.silent.clear();
    files.contradict(large, 900);
    untilPasses(1);
    long stripe = ScriptedFiles.STRIPE_BYTES;
    assertEquals(
        List.of(
            new ByteRange(3 * stripe, 4 * stripe),
            new ByteRange(700 * stripe, 701 * stripe),
            new ByteRange(900 * stripe, 901 * stripe)),
        named(large).inDoubt().list());
    assertEquals(3, named(large).units());
  }

  /** It is left after five failures, and all that was found of it is found again. */
  @Test
  void findingThatCouldNotBeRecordedIsFoundAgain() {
    ObjectId object = files.file(70_000, 400);
    files.contradict(object, 1);
    begin(new ScrubOptions(4 << 20, 0));
    while (!files.read.contains(object)) {
      files.refuses = files.lists > 0;
      pass(TICK_MILLIS);
    }
    pass(5 * 60_000);
    assertTrue(files.contradicted().isEmpty());
    files.refuses = false;
    untilPasses(1);
    assertEquals(1, named(object).units());
  }

  @Test
  void silentOsdsAreLeftOutOnlyWhileFilesHaveOthers() {
    ObjectId object = files.file(70_000, 4);
    files.listless.addAll(List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
    begin(new ScrubOptions(FAST, 0));
    pass(30 * 60_000);
    assertEquals(0, files.reached().passes(), () -> scrub.progress().toString());
    files.listless.clear();
    untilPasses(1);
    assertTrue(files.read.contains(object));
  }

  /** All that has a file may be silent, though more OSDs list than do not. */
  @Test
  void fewerOsdsAreLeftOutThanHoldAFile() {
    ObjectId object = files.file(70_000, 4);
    files.holders = 2;
    files.listless.addAll(List.of(new OsdId(1), new OsdId(2)));
    begin(new ScrubOptions(FAST, 0));
    pass(30 * 60_000);
    assertEquals(0, files.reached().passes(), () -> scrub.progress().toString());
    files.listless.remove(new OsdId(1));
    untilPasses(1);
    assertTrue(files.read.contains(object));
  }

  /** One that is away may be the other one that has a file. */
  @Test
  void absentOsdsCountAsLeftOut() {
    files.file(70_000, 4);
    files.holders = 2;
    files.away.add(new OsdId(3));
    files.listless.add(new OsdId(2));
    begin(new ScrubOptions(FAST, 0));
    pass(30 * 60_000);
    assertEquals(0, files.reached().passes(), () -> scrub.progress().toString());
  }

  @Test
  void anOsdThatDoesNotListKeepsNoPassFromItsEnd() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    files.listless.add(new OsdId(2));
    begin(new ScrubOptions(FAST, 0));
    pass(10_000);
    assertTrue(scrub.progress().waits().contains("OSD 2"), () -> scrub.progress().toString());
    untilPasses(1);
    assertEquals(1, files.reached().last().files());
    assertEquals(1, named(object).units());
    assertTrue(files.reached().last().unlisted());
    assertTrue(scrub.progress().waits().contains("do not list"), scrub.progress()::toString);
  }

  @Test
  void whileNoOsdListsNoPassEnds() {
    ObjectId object = files.file(70_000, 4);
    files.away.addAll(files.serving());
    begin(new ScrubOptions(FAST, 0));
    pass(300_000);
    assertEquals(0, files.reached().passes());
    files.away.clear();
    untilPasses(1);
    assertTrue(files.read.contains(object));
  }

  @Test
  void aFileWhoseCutIsNotFinishedIsNotNamed() {
    ObjectId object = files.file(70_000, 4);
    files.contradict(object, 1);
    files.cut(object);
    begin(new ScrubOptions(FAST, 0));
    untilPasses(1);
    assertTrue(files.contradicted().isEmpty());
    assertEquals(1, files.reached().last().left(), "and it counts as not compared");
  }
}
