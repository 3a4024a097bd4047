package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.simulator.check.Writer.Attempt;
import org.weft.simulator.model.Fill;

class WriterTest {
  private final FileHistory file = new FileHistory("file 7");
  private long moment = 1;

  private long next() {
    return moment++;
  }

  private Writer open(String actor, long length) {
    return file.opened(actor, false, next(), next(), length);
  }

  private Writer openAt10() {
    Writer writer = open("w", 0);
    done(writer.write(0, next(), 0, 10));
    done(writer.flush(next(), true));
    return writer;
  }

  private void done(Attempt attempt) {
    attempt.acknowledged(next(), moment);
  }

  private void read(long position, int wanted, byte[] found) {
    long opened = next();
    file.read("r", opened, next(), next(), position, wanted, found);
  }

  private static byte[] bytes(int write, long from, long to) {
    byte[] bytes = new byte[(int) (to - from)];
    Fill.bytes(write, from, bytes.length).get(bytes);
    return bytes;
  }

  private void assertSound() {
    assertEquals(List.of(), file.check());
  }

  private void assertWrong(String part) {
    List<BrokenRule> findings = file.check();
    assertEquals(1, findings.size(), findings::toString);
    assertTrue(findings.get(0).toString().contains(part), findings::toString);
  }

  @Test
  void publishedLengthIsVisibleToOthers() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    file.told("r", next(), next(), 0);
    done(writer.flush(next(), false));
    file.told("r", next(), next(), 40);
    read(0, 50, bytes(1, 0, 40));
    done(writer.close(next()));
    assertSound();
    file.told("r", next(), next(), 0);
    assertWrong("told length 0");
  }

  @Test
  void flushedBytesAreThereForLaterReaders() {
    Writer writer = file.opened("w", true, next(), next(), 0);
    done(writer.write(1, next(), 0, 40));
    done(writer.flush(next(), false));
    read(0, 40, new byte[40]);
    assertWrong("read zero");
  }

  /** What was lost with the power was not published; each piece of a write may be kept alone. */
  @Test
  void unpublishedLengthIsOpenAfterTooManyPowerLosses() {
    Writer dead = openAt10();
    done(dead.write(1, next(), 10, 90));
    dead.lost();
    file.doubted(next(), 0);
    file.told("r", next(), next(), 50);
    assertSound();
    file.opened("v", false, next(), next(), 40);
    file.told("r", next(), next(), 50);
    assertWrong("told length 50");
  }

  @Test
  void pastThePromiseALengthThatWasUnderACheckpointStays() {
    Writer dead = openAt10();
    dead.write(1, next(), 10, 60).acknowledged(next(), 500);
    dead.write(2, next(), 60, 90).acknowledged(next(), 1_500);
    file.doubted(next(), 1_000);
    dead.lost();
    file.told("r", next(), next(), 60);
    assertSound();
    file.told("r", next(), next(), 59);
    assertWrong("told length 59");
  }

  @Test
  void laterWriteIsSoundAfterAPowerLoss() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    done(writer.flush(next(), false));
    long lost = next();
    done(writer.write(2, next(), 20, 40));
    file.doubted(next(), lost, 0);
    read(0, 40, concat(new byte[20], bytes(2, 20, 40)));
    assertSound();
    read(20, 20, new byte[20]);
    assertWrong("offset 20");
  }

  /** The file ends before it: there is nothing to be done, and no OSD is asked. */
  @Test
  void emptyPunchProvesNothing() {
    Writer frozen = openAt10();
    Writer second = open("v", 10);
    done(second.write(1, next(), 10, 40));
    done(second.flush(next(), false));
    frozen.punch(next(), 10, 20).acknowledged(next(), 0);
    read(0, 40, concat(bytes(0, 0, 10), bytes(1, 10, 40)));
    assertSound();
    frozen.punch(next(), 9, 20).acknowledged(next(), 0);
    assertWrong("ended");
  }

  @Test
  void aLengthThatIsNotPublishedIsDoubtfulWhileItsWriterLives() {
    Writer writer = openAt10();
    done(writer.write(1, next(), 10, 90));
    file.doubted(next(), 0);
    writer.lost();
    file.told("r", next(), next(), 50);
    assertSound();
    file.told("r", next(), next(), 9);
    assertWrong("told length 9");
  }

  @Test
  void aLengthThatIsOnDisksIsNeverDoubtful() {
    Writer writer = openAt10();
    done(writer.write(1, next(), 10, 90));
    done(writer.flush(next(), true));
    file.doubted(next(), 0);
    writer.lost();
    file.told("r", next(), next(), 50);
    assertWrong("told length 50");
  }

  /** Its manager may forget it, and then only components know of it. */
  @Test
  void aFlushedLengthIsDoubtfulUntilItIsUnderCheckpoints() {
    Writer writer = openAt10();
    writer.write(1, next(), 10, 90).acknowledged(next(), 500);
    writer.flush(next(), false).acknowledged(next(), 500);
    writer.write(2, next(), 90, 120).acknowledged(next(), 1_500);
    writer.flush(next(), false).acknowledged(next(), 1_500);
    file.doubted(next(), 1_000);
    file.told("r", next(), next(), 120);
    writer.lost();
    file.told("r", next(), next(), 90);
    assertSound();
    file.told("r", next(), next(), 89);
    assertWrong("told length 89");
  }

  @Test
  void withinThePromiseAFlushedLengthStays() {
    Writer writer = openAt10();
    done(writer.write(1, next(), 10, 90));
    done(writer.flush(next(), false));
    writer.lost();
    file.told("r", next(), next(), 50);
    assertWrong("told length 50");
  }

  @Test
  void aStreamPromisesNothingBeforeItsFlush() {
    Writer writer = file.opened("w", true, next(), next(), 0);
    done(writer.write(1, next(), 0, 40));
    writer.lost();
    read(0, 40, bytes(1, 0, 30));
    assertSound();
    file.told("r", next(), next(), 41);
    assertWrong("told length 41");
  }

  @Test
  void acknowledgedBytesOutliveTheirWriter() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    Attempt second = writer.write(2, next(), 40, 60);
    writer.lost();
    second.failed();
    open("v", 50);
    assertSound();
    file.told("r", next(), next(), 30);
    assertWrong("told length 30");
  }

  @Test
  void theLengthAfterAWriterIsFoundOnce() {
    Writer writer = open("w", 0);
    writer.write(1, next(), 0, 60).failed();
    open("v", 50);
    file.told("r", next(), next(), 50);
    assertSound();
    file.told("r", next(), next(), 40);
    assertWrong("told length 40");
  }

  @Test
  void noWriteHappensUnderAFollowedGrant() {
    Writer frozen = open("w", 0);
    done(frozen.write(1, next(), 0, 40));
    Writer second = open("v", 40);
    frozen.write(2, next(), 0, 40);
    done(second.write(3, next(), 0, 20));
    read(0, 40, concat(bytes(3, 0, 20), bytes(1, 20, 40)));
    assertSound();
    read(0, 40, bytes(2, 0, 40));
    assertWrong("as of write [2]");
  }

  @Test
  void aGrantThatWasFollowedByAnotherAcknowledgesNothing() {
    Writer frozen = open("w", 0);
    open("v", 0);
    done(frozen.write(2, next(), 0, 40));
    assertWrong("acknowledged under a grant that had ended");
  }

  /** A client that stands still while it opens a file hears of a grant that is over by then. */
  @Test
  void lateOpeningAnswerEndsNoGrant() {
    long asked = next();
    Writer second = open("v", 0);
    done(second.write(1, next(), 0, 40));
    Writer frozen = file.opened("w", false, asked, next(), 0);
    done(frozen.flush(next(), false));
    done(second.write(2, next(), 0, 50));
    done(second.close(next()));
    frozen.write(3, next(), 0, 40).failed();
    file.told("r", next(), next(), 50);
    read(0, 50, bytes(2, 0, 50));
    assertSound();
    read(0, 40, bytes(3, 0, 40));
    assertWrong("as of write [3]");
  }

  @Test
  void writerWithALateOpeningAcknowledgesNothingAfterAnother() {
    long asked = next();
    Writer second = open("v", 0);
    Writer frozen = file.opened("w", false, asked, next(), 0);
    Attempt late = frozen.write(3, next(), 0, 40);
    done(second.write(1, next(), 0, 40));
    done(late);
    assertWrong("acknowledged under a grant that had ended");
  }

  @Test
  void aWriterThatWaitedForAnotherEndsItsGrant() {
    long asked = next();
    Writer first = open("v", 0);
    done(first.write(1, next(), 0, 40));
    Attempt lost = first.write(2, next(), 40, 60);
    Writer waiting = file.opened("w", false, asked, next(), 50);
    done(waiting.write(3, next(), 0, 20));
    lost.failed();
    file.told("r", next(), next(), 50);
    assertSound();
    done(first.write(4, next(), 0, 40));
    assertWrong("acknowledged under a grant that had ended");
  }

  @Test
  void flushWithoutWritesMaySucceedUnderAnOldGrant() {
    Writer frozen = open("w", 0);
    Writer second = open("v", 0);
    done(second.write(3, next(), 0, 20));
    done(frozen.flush(next(), true));
    done(second.close(next()));
    file.told("r", next(), next(), 20);
    assertSound();
  }

  @Test
  void nextOpeningSettlesWritesUnderWay() {
    Writer frozen = open("w", 0);
    done(frozen.write(1, next(), 0, 40));
    done(frozen.flush(next(), false));
    Attempt late = frozen.write(2, next(), 0, 40);
    Writer second = open("v", 40);
    late.acknowledged(next(), 0);
    done(second.write(3, next(), 0, 20));
    read(0, 20, bytes(3, 0, 20));
    assertSound();
    read(0, 20, bytes(2, 0, 20));
    assertWrong("as of write [2]");
  }

  @Test
  void aCutFileStaysCut() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    done(writer.setLength(next(), 10));
    done(writer.setLength(next(), 30));
    read(0, 40, concat(bytes(1, 0, 10), new byte[20]));
    assertSound();
    file.told("r", next(), next(), 40);
    assertWrong("told length 40");
  }

  @Test
  void aCutThatFailedIsDoneOrNot() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    done(writer.flush(next(), false));
    writer.setLength(next(), 10).failed();
    open("v", 40);
    read(0, 40, bytes(1, 0, 40));
    assertSound();
    read(0, 40, bytes(1, 0, 10));
    assertWrong("got 10");
  }

  @Test
  void syncedBytesOutliveAnyPowerLoss() {
    Writer writer = open("w", 0);
    done(writer.write(1, next(), 0, 40));
    done(writer.flush(next(), true));
    done(writer.write(2, next(), 0, 20));
    file.doubted(next(), 0);
    read(0, 40, bytes(1, 0, 40));
    assertSound();
    read(0, 40, concat(bytes(1, 0, 20), new byte[20]));
    assertWrong("offset 20");
  }

  @Test
  void writeSentBeforeAPowerLossStaysDoubtful() {
    Writer writer = file.opened("w", true, next(), next(), 0);
    done(writer.write(1, next(), 0, 40));
    file.doubted(next(), 0);
    done(writer.close(next()));
    read(0, 40, new byte[40]);
    assertSound();
    file.told("r", next(), next(), 0);
    assertWrong("told length 0");
  }

  private static byte[] concat(byte[] one, byte[] other) {
    byte[] both = new byte[one.length + other.length];
    System.arraycopy(one, 0, both, 0, one.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private Writer share(String actor, long length) {
    return file.shared(actor, false, next(), next(), length);
  }

  @Test
  void aSharedFileThatWasCutIsNotAsLongAsBefore() {
    Writer one = share("one", 0);
    Writer two = share("two", 0);
    done(two.write(1, next(), 0, 40));
    done(two.flush(next(), true));
    done(one.setLength(next(), 10));
    file.told("r", next(), next(), 10);
    done(two.flush(next(), true));
    file.told("r", next(), next(), 10);
    assertSound();
    file.told("r", next(), next(), 40);
    assertWrong("at most 10");
  }

  @Test
  void truncatedSharedFileGrowsByConcurrentAndLaterWrites() {
    Writer one = share("one", 0);
    Writer two = share("two", 0);
    done(two.write(1, next(), 0, 40));
    Attempt cut = one.setLength(next(), 10);
    Attempt beside = two.write(2, next(), 20, 30);
    done(cut);
    file.told("r", next(), next(), 30);
    done(beside);
    done(two.write(3, next(), 30, 35));
    done(two.flush(next(), true));
    file.told("r", next(), next(), 35);
    assertSound();
    read(0, 20, bytes(1, 0, 20));
    assertWrong("a byte that no read could find");
  }
}
