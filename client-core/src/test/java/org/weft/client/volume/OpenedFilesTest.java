package org.weft.client.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.ClosedFile;
import org.weft.protocol.wire.PublishedFile;
import org.weft.protocol.wire.ReclaimedFile;
import org.weft.protocol.wire.RenewSessionRequest;

/** What renewals say of the files that a session has open for reading. */
class OpenedFilesTest {
  private static final long FIRST_EPOCH = 3;
  private static final ByteString HANDLE = ByteString.copyFromUtf8("handle");

  private final OpenedFiles files = new OpenedFiles(1, FIRST_EPOCH);

  private RenewSessionRequest renewal() {
    RenewSessionRequest.Builder renewal = RenewSessionRequest.newBuilder();
    files.addTo(renewal);
    return renewal.build();
  }

  @Test
  void theLastClosingIsToldUntilItIsAnswered() {
    files.opened(70, HANDLE, 1);
    files.opened(70, HANDLE, 2);
    files.closed(70);
    assertEquals(
        List.of(),
        numbers(renewal().getClosedList(), ClosedFile::getObjectId),
        "it is open once more");
    files.closed(70);
    RenewSessionRequest lost = renewal();
    assertEquals(List.of(70L), numbers(lost.getClosedList(), ClosedFile::getObjectId));
    assertEquals(
        List.of(2L),
        numbers(lost.getClosedList(), ClosedFile::getOpenNumber),
        "the largest that was heard of");
    RenewSessionRequest again = renewal();
    assertEquals(lost, again);
    assertFalse(files.answered(again, FIRST_EPOCH));
    assertEquals(RenewSessionRequest.getDefaultInstance(), renewal());
  }

  @Test
  void aFileReopenedBeforeItsCloseWasToldIsOpen() {
    files.opened(70, HANDLE, 1);
    files.closed(70);
    files.opened(70, HANDLE, 5);
    assertEquals(RenewSessionRequest.getDefaultInstance(), renewal());
    files.closed(70);
    assertEquals(List.of(5L), numbers(renewal().getClosedList(), ClosedFile::getOpenNumber));
  }

  @Test
  void aLaterClosingIsNotTakenForTheOneThatWasAnswered() {
    files.opened(70, HANDLE, 1);
    files.closed(70);
    RenewSessionRequest first = renewal();
    files.opened(70, HANDLE, 9);
    files.closed(70);
    assertFalse(files.answered(first, FIRST_EPOCH));
    assertEquals(List.of(9L), numbers(renewal().getClosedList(), ClosedFile::getOpenNumber));
  }

  @Test
  void aNewManagerHearsOfOpenFilesOnce() {
    files.opened(70, HANDLE, 1);
    files.opened(71, HANDLE, 2);
    assertTrue(files.answered(renewal(), 4), "there is something to say at once");
    RenewSessionRequest reclaim = renewal();
    assertEquals(List.of(70L, 71L), numbers(reclaim.getOpenList(), ReclaimedFile::getObjectId));
    assertTrue(reclaim.getReclaim());
    assertEquals(4, reclaim.getReclaimEpoch());
    assertFalse(files.answered(reclaim, 4));
    assertEquals(RenewSessionRequest.getDefaultInstance(), renewal());
  }

  @Test
  void aNewManagerIsToldAlsoThatNothingIsOpen() {
    assertTrue(files.answered(renewal(), 4));
    assertTrue(renewal().getReclaim());
  }

  @Test
  void aManagerThatTakesOverHalfWayIsToldFromTheBeginning() {
    int count = OpenedFiles.MAX_AT_ONCE + 5;
    List<Long> all = new ArrayList<>();
    for (long file = 1; file <= count; file++) {
      files.opened(file, HANDLE, file);
      all.add(file);
    }
    files.answered(renewal(), 4);
    RenewSessionRequest part = renewal();
    assertFalse(part.getReclaim());
    assertEquals(OpenedFiles.MAX_AT_ONCE, part.getOpenCount());
    assertTrue(files.answered(part, 4));
    assertEquals(
        all.subList(OpenedFiles.MAX_AT_ONCE, count),
        numbers(renewal().getOpenList(), ReclaimedFile::getObjectId));
    assertTrue(files.answered(renewal(), 5), "another manager answered the second part");
    List<Long> told = new ArrayList<>();
    for (RenewSessionRequest next = renewal(); next.getReclaimEpoch() != 0; next = renewal()) {
      assertEquals(5, next.getReclaimEpoch());
      told.addAll(numbers(next.getOpenList(), ReclaimedFile::getObjectId));
      files.answered(next, 5);
    }
    assertEquals(all, told);
  }

  @Test
  void manyClosingsAreToldInParts() {
    int count = OpenedFiles.MAX_AT_ONCE + 5;
    for (long file = 1; file <= count; file++) {
      files.opened(file, HANDLE, file);
      files.closed(file);
    }
    RenewSessionRequest first = renewal();
    assertEquals(OpenedFiles.MAX_AT_ONCE, first.getClosedCount());
    files.answered(first, FIRST_EPOCH);
    assertEquals(5, renewal().getClosedCount());
  }

  @Test
  void aManagerThatHasStartedIsToldWhatWasPublished() {
    PublishedLengths lengths = files.lengths();
    lengths.telling(80, 1, PublishedLengths.Length.of(100));
    lengths.telling(80, 1, PublishedLengths.Length.of(300));
    lengths.telling(80, 2, PublishedLengths.Length.of(200));
    lengths.telling(81, 3, PublishedLengths.Length.of(50));
    lengths.telling(82, 4, PublishedLengths.Length.of(60));
    lengths.renumbered(81, 3, 9);
    lengths.settled(81, 3);
    lengths.settled(82, 4);
    assertEquals(0, renewal().getPublishedCount());
    files.answered(renewal(), 4);
    assertEquals(
        List.of(80L, 81L), numbers(renewal().getPublishedList(), PublishedFile::getObjectId));
    assertEquals(List.of(300L, 50L), numbers(renewal().getPublishedList(), PublishedFile::getSize));
    lengths.settled(80, 1);
    lengths.settled(81, 9);
    assertEquals(List.of(80L), numbers(renewal().getPublishedList(), PublishedFile::getObjectId));
    assertEquals(List.of(200L), numbers(renewal().getPublishedList(), PublishedFile::getSize));
  }

  private static <T> List<Long> numbers(List<T> said, ToLongFunction<T> number) {
    return said.stream().mapToLong(number).boxed().toList();
  }
}
