package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.RenewSessionRequest;

/** Lengths that the manager leaves to its writers until it asks (P 6.5). */
class PublishedLengthsTest {
  private static final long FILE = 80;
  private static final long GRANT = 7;
  private static final long EPOCH = 3;

  private final PublishedLengths lengths = new PublishedLengths(EPOCH);

  private static Lsn question(long number) {
    return Lsn.of(EPOCH, number);
  }

  private boolean keeps(long sizeBytes) {
    return lengths.keeps(FILE, GRANT, sizeBytes);
  }

  private PublishedLengths.Length telling(long sizeBytes) {
    return lengths.telling(FILE, GRANT, PublishedLengths.Length.of(sizeBytes));
  }

  private void keep(long sizeBytes) {
    telling(sizeBytes);
    lengths.answered(FILE, GRANT, 100, question(1));
  }

  @Test
  void noLengthIsKeptBeforeTheManagerAllowsIt() {
    assertFalse(keeps(100));
    telling(100);
    assertFalse(keeps(200));
    lengths.answered(FILE, GRANT, 100, Lsn.ZERO);
    assertFalse(keeps(200));
    keep(100);
    assertFalse(lengths.isBehind(FILE, GRANT));
    assertTrue(keeps(200));
    assertTrue(lengths.isBehind(FILE, GRANT));
  }

  @Test
  void theLargestLengthIsToldAndKeepingEnds() {
    keep(100);
    assertTrue(keeps(300));
    assertEquals(300, telling(200).sizeBytes());
    assertTrue(lengths.isBehind(FILE, GRANT), "it may never arrive");
    assertFalse(keeps(400));
    lengths.answered(FILE, GRANT, 300, Lsn.ZERO);
    assertFalse(lengths.isBehind(FILE, GRANT));
  }

  @Test
  void aQuestionEndsTheKeeping() {
    assertFalse(lengths.wanted(FILE, GRANT, question(2)), "nothing was published");
    keep(100);
    assertTrue(keeps(300));
    assertTrue(lengths.wanted(FILE, GRANT, question(2)));
    assertFalse(keeps(400));
  }

  /** They go different ways. */
  @Test
  void anAnswerThatWasGivenBeforeAQuestionCountsNoMore() {
    telling(100);
    lengths.wanted(FILE, GRANT, question(2));
    lengths.answered(FILE, GRANT, 100, question(1));
    assertFalse(keeps(200));
    lengths.answered(FILE, GRANT, 100, question(2));
    assertTrue(keeps(200));
  }

  @Test
  void anotherManagerKnowsNothingOfWhatIsKept() {
    keep(100);
    lengths.managerChanged(EPOCH + 1);
    assertFalse(keeps(200));
    lengths.answered(FILE, GRANT, 100, question(9));
    assertFalse(keeps(200), "a late answer of the one before");
    lengths.answered(FILE, GRANT, 100, Lsn.of(EPOCH + 1, 1));
    assertTrue(keeps(200));
  }

  @Test
  void aManagerThatStartsIsToldWhatWasKept() {
    keep(100);
    assertTrue(keeps(300));
    lengths.managerChanged(EPOCH + 1);
    RenewSessionRequest.Builder renewal = RenewSessionRequest.newBuilder();
    lengths.addTo(renewal);
    assertEquals(300, renewal.getPublished(0).getSize());
  }

  @Test
  void aGrantThatTakesTheOthersPlaceKeepsItOn() {
    keep(100);
    assertTrue(keeps(300));
    lengths.renumbered(FILE, GRANT, GRANT + 1);
    assertFalse(keeps(400), "the old one is not in force any more");
    assertTrue(lengths.keeps(FILE, GRANT + 1, 400));
  }

  @Test
  void anotherStatementSaysWhatWasPublishedAndKeepsNothing() {
    assertEquals(OptionalLong.empty(), lengths.saying(FILE, GRANT));
    keep(100);
    assertTrue(keeps(300));
    assertEquals(OptionalLong.of(300), lengths.saying(FILE, GRANT));
    assertFalse(keeps(400));
    lengths.settled(FILE, GRANT);
    assertEquals(OptionalLong.empty(), lengths.saying(FILE, GRANT));
  }

  private PublishedLengths.Length telling(long sizeBytes, int cuts) {
    return lengths.telling(
        FILE, GRANT, new PublishedLengths.Length(sizeBytes, OptionalInt.of(cuts)));
  }

  /** P 6.5.78. */
  @Test
  void aLengthOfBeforeACutIsToldNoMore() {
    assertEquals(300, telling(300, 2).sizeBytes());
    assertEquals(50, telling(50, 3).sizeBytes());
    assertEquals(50, telling(20, 3).sizeBytes(), "of the same cut the largest counts");
    assertEquals(50, telling(0).sizeBytes(), "as it was told last");
    lengths.telling(FILE, GRANT + 1, new PublishedLengths.Length(400, OptionalInt.of(2)));
    RenewSessionRequest.Builder renewal = RenewSessionRequest.newBuilder();
    lengths.addTo(renewal);
    assertEquals(50, renewal.getPublished(0).getSize(), "the other opening has not heard of it");
    assertEquals(3, renewal.getPublished(0).getTruncationNumber());
  }
}
