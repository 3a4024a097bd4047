package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.retry.Backoff;

/** Ranges are acquired before use and given back when others want them (P 6.5). */
class OwnedRangesTest {
  private static final long STRIPE = 10;

  private final Manager manager = new Manager();
  private final OwnedRanges ranges = new OwnedRanges(manager, STRIPE);

  /** Answers when the test says so. */
  private static final class Manager implements OwnedRanges.Source {
    private final List<String> asked = new ArrayList<>();
    private final Deque<RangeUse> uses = new ArrayDeque<>();
    private final Deque<CompletableFuture<OwnedRanges.Given>> acquiring = new ArrayDeque<>();
    private final Deque<CompletableFuture<Void>> releasing = new ArrayDeque<>();
    private final Deque<Runnable> timers = new ArrayDeque<>();
    private int renewals;
    private boolean renewable = true;
    private boolean isOfEarlierRelease;
    private long nowNanos;
    private Optional<RuntimeException> thrown = Optional.empty();
    private CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);

    /** Happens once, while bytes of what leaves are being sent. */
    private Runnable whileSettling = () -> {};

    @Override
    public CompletableFuture<Void> settle(ByteRanges leaving) {
      Runnable meanwhile = whileSettling;
      whileSettling = () -> {};
      meanwhile.run();
      if (!settled.isDone()) {
        asked.add("settle " + leaving);
      }
      return settled;
    }

    @Override
    public CompletableFuture<OwnedRanges.Given> acquire(ByteRange range, RangeUse use) {
      throwIfToldSo();
      asked.add((use == RangeUse.READING ? "to read +" : "+") + range);
      uses.add(use);
      acquiring.add(new CompletableFuture<>());
      return acquiring.getLast();
    }

    @Override
    public CompletableFuture<Void> release(ByteRange range) {
      throwIfToldSo();
      asked.add("-" + range);
      releasing.add(new CompletableFuture<>());
      return releasing.getLast();
    }

    @Override
    public boolean renewGrant(WeftException why) {
      renewals++;
      return renewable;
    }

    @Override
    public Backoff.Delays patience() {
      return Backoff.exact(1, 1).begin(new SplittableRandom(1));
    }

    @Override
    public void later(long delayNanos, Runnable task) {
      timers.add(task);
    }

    @Override
    public long nowNanos() {
      return nowNanos;
    }

    private void throwIfToldSo() {
      if (thrown.isPresent()) {
        throw thrown.get();
      }
    }

    void give(long from, long to) {
      RangeUse use = uses.remove();
      acquiring
          .remove()
          .complete(
              new OwnedRanges.Given(
                  new ByteRange(from, to),
                  isOfEarlierRelease ? Optional.empty() : Optional.of(use)));
    }

    void refuse(ErrorCode code) {
      uses.remove();
      acquiring.remove().completeExceptionally(new WeftException(code, "no"));
    }

    void released() {
      releasing.remove().complete(null);
    }

    List<String> asked() {
      List<String> all = List.copyOf(asked);
      asked.clear();
      return all;
    }
  }

  private CompletableFuture<Void> own(long from, long to) {
    return ranges.own(new ByteRange(from, to), RangeUse.WRITING);
  }

  private CompletableFuture<Void> ownToRead(long from, long to) {
    return ranges.own(new ByteRange(from, to), RangeUse.READING);
  }

  private void acquireToRead(long from, long to, long givenFrom, long givenTo) {
    CompletableFuture<Void> owned = ownToRead(from, to);
    assertFalse(owned.isDone());
    manager.give(givenFrom, givenTo);
    assertTrue(owned.isDone());
    done(from, to);
    manager.asked();
  }

  private void done(long from, long to) {
    ranges.done(new ByteRange(from, to));
  }

  /** Owns the range, for no longer than that. */
  private void use(long from, long to) {
    CompletableFuture<Void> owned = own(from, to);
    assertTrue(owned.isDone());
    done(from, to);
  }

  private void acquire(long from, long to, long givenFrom, long givenTo) {
    CompletableFuture<Void> owned = own(from, to);
    assertFalse(owned.isDone());
    manager.give(givenFrom, givenTo);
    assertTrue(owned.isDone());
    done(from, to);
    manager.asked();
  }

  @Test
  void wholeStripesAreAcquiredOnceAndKept() {
    CompletableFuture<Void> owned = own(12, 27);
    assertEquals(List.of("+10 to 30"), manager.asked());
    assertFalse(owned.isDone());
    manager.give(10, 30);
    assertTrue(owned.isDone());
    done(12, 27);
    use(29, 30);
    use(10, 11);
    assertEquals(List.of(), manager.asked());
  }

  @Test
  void aRecallWaitsForWhatIsUnderWayThere() {
    acquire(0, 100, 0, 100);
    use(30, 40);
    assertTrue(own(12, 27).isDone());
    ranges.recall(new ByteRange(20, 30));
    assertEquals(List.of(), manager.asked());
    ranges.recall(new ByteRange(40, 50));
    assertEquals(List.of("-40 to 50"), manager.asked());
    done(12, 27);
    assertEquals(List.of("-20 to 30"), manager.asked());
  }

  /** To write what was gathered in the first range takes long, and another call comes meanwhile. */
  @Test
  void aRecalledRangeIsNotUsedWhileItWaitsForItsReturn() {
    acquire(0, 30, 0, 30);
    assertTrue(own(0, 30).isDone());
    ranges.recall(new ByteRange(0, 10));
    ranges.recall(new ByteRange(20, 30));
    List<CompletableFuture<Void>> meanwhile = new ArrayList<>();
    manager.whileSettling = () -> meanwhile.add(own(20, 30));
    done(0, 30);
    assertFalse(meanwhile.get(0).isDone(), "another client wants that");
    assertEquals(List.of("-0 to 10", "-20 to 30"), manager.asked());
    manager.released();
    manager.released();
    assertEquals(List.of("+20 to 30"), manager.asked());
    manager.give(20, 30);
    assertTrue(meanwhile.get(0).isDone());
  }

  /** Two ranges are due, and while the first one leaves a call begins in the second. */
  @Test
  void aRangeThatIsUsedAgainByThenIsGivenBackAfterwards() {
    acquire(0, 30, 0, 30);
    assertTrue(own(0, 10).isDone());
    ranges.recall(new ByteRange(0, 10));
    manager.whileSettling =
        () -> {
          assertTrue(own(20, 30).isDone());
          ranges.recall(new ByteRange(20, 30));
        };
    done(0, 10);
    assertEquals(List.of("-0 to 10"), manager.asked());
    done(20, 30);
    assertEquals(List.of("-20 to 30"), manager.asked());
  }

  @Test
  void repliesToReturnsMayComeInAnyOrder() {
    acquire(0, 30, 0, 30);
    ranges.recall(new ByteRange(0, 10));
    ranges.recall(new ByteRange(20, 30));
    CompletableFuture<Void> again = own(20, 30);
    manager.releasing.removeLast().complete(null);
    assertEquals(List.of("-0 to 10", "-20 to 30"), manager.asked(), "one is not heard of yet");
    manager.released();
    assertEquals(List.of("+20 to 30"), manager.asked());
    manager.give(20, 30);
    assertTrue(again.isDone());
  }

  @Test
  void operationsRunSideBySideInOwnedRanges() {
    acquire(0, 100, 0, 100);
    assertTrue(own(0, 10).isDone());
    assertTrue(own(0, 10).isDone());
    assertTrue(own(50, 60).isDone());
    ranges.recall(new ByteRange(0, 10));
    done(0, 10);
    assertEquals(List.of(), manager.asked(), "the other one is in it yet");
    done(0, 10);
    assertEquals(List.of("-0 to 10"), manager.asked());
    done(50, 60);
  }

  @Test
  void aRecalledRangeIsNotReusedBeforeOthersHadIt() {
    acquire(0, 20, 0, 20);
    assertTrue(own(0, 10).isDone());
    ranges.recall(new ByteRange(0, 10));
    CompletableFuture<Void> later = own(5, 6);
    assertFalse(later.isDone());
    assertTrue(own(10, 20).isDone(), "no other client wants that");
    done(0, 10);
    assertEquals(List.of("-0 to 10"), manager.asked());
    assertFalse(later.isDone());
    manager.released();
    assertEquals(List.of("+0 to 10"), manager.asked());
    manager.give(0, 10);
    assertTrue(later.isDone());
  }

  @Test
  void oneOperationAtATimeAsksForMore() {
    CompletableFuture<Void> first = own(0, 10);
    CompletableFuture<Void> second = own(10, 20);
    CompletableFuture<Void> third = own(0, 5);
    assertEquals(List.of("+0 to 10"), manager.asked());
    manager.give(0, 10);
    assertTrue(first.isDone());
    assertTrue(third.isDone());
    assertEquals(List.of("+10 to 20"), manager.asked());
    manager.give(10, 20);
    assertTrue(second.isDone());
  }

  @Test
  void rangesInUseDoNotCountAsUnused() {
    acquire(0, 10, 0, 20_000);
    assertTrue(own(19_990, 20_000).isDone());
    for (int each = 0; each < 502; each++) {
      use(20L * each, 20L * each + 10);
    }
    ranges.recall(new ByteRange(5_005, 5_006));
    assertTrue(manager.asked().stream().noneMatch(each -> each.contains("20000")));
  }

  @Test
  void unusedNeighboursAreReturnedWithARange() {
    acquire(50, 60, 0, ByteRange.END);
    ranges.recall(new ByteRange(20, 30));
    assertEquals(List.of("-0 to 50"), manager.asked());
    manager.released();
    ranges.recall(new ByteRange(80, 90));
    assertEquals(List.of("-60 to the end"), manager.asked());
    manager.released();
    use(50, 60);
    assertEquals(List.of(), manager.asked());
  }

  @Test
  void noRangeIsReturnedDuringARequestForMore() {
    acquire(0, 10, 0, 10);
    CompletableFuture<Void> owned = own(5, 15);
    assertEquals(List.of("+0 to 20"), manager.asked());
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of(), manager.asked());
    manager.refuse(ErrorCode.BUSY);
    assertEquals(List.of("-0 to 10"), manager.asked(), "a waiting call holds nothing");
    manager.timers.remove().run();
    assertEquals(List.of(), manager.asked(), "what is given back has not been heard of");
    manager.released();
    assertEquals(List.of("+0 to 20"), manager.asked());
    ranges.recall(new ByteRange(0, 10));
    manager.give(0, 20);
    assertTrue(owned.isDone());
    assertEquals(List.of(), manager.asked(), "it is used once before");
    done(5, 15);
    assertEquals(List.of("-0 to 10"), manager.asked());
  }

  @Test
  void aRecallIsObeyedOnceThoughItIsSaidAgain() {
    acquire(0, 20, 0, 20);
    ranges.recall(new ByteRange(0, 10));
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of("-0 to 10"), manager.asked());
    manager.released();
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of("-0 to 10"), manager.asked(), "the manager believes that it is here");
  }

  @Test
  void gatheredBytesAreWrittenBeforeTheirRangeIsReturned() {
    acquire(0, 10, 0, 10);
    acquire(20, 40, 20, 40);
    manager.settled = new CompletableFuture<>();
    ranges.recall(new ByteRange(0, 30));
    assertEquals(List.of("settle [0 to 10, 20 to 30]"), manager.asked(), "only what is owned");
    ranges.recall(new ByteRange(0, 30));
    CompletableFuture<Void> again = own(0, 10);
    assertEquals(List.of(), manager.asked());
    use(30, 40);
    manager.settled.complete(null);
    assertEquals(List.of("-0 to 30"), manager.asked());
    manager.released();
    assertEquals(List.of("+0 to 10"), manager.asked());
    assertFalse(again.isDone());
  }

  /**
   * A call that wants more than one before it also asks for what that one has not been given yet.
   */
  @Test
  void aRangeIsNotReturnedWhileAPartOfItIsWritten() {
    acquire(0, 10, 0, 40);
    CompletableFuture<Void> onTheirWay = new CompletableFuture<>();
    manager.settled = onTheirWay;
    ranges.recall(new ByteRange(0, 10));
    assertEquals(1, manager.asked().size());
    manager.settled = CompletableFuture.completedFuture(null);
    ranges.recall(new ByteRange(0, 40));
    assertEquals(List.of(), manager.asked());
    onTheirWay.complete(null);
    assertEquals(List.of("-0 to 10", "-0 to 40"), manager.asked());
  }

  @Test
  void aRangeWithUnwritableBytesIsNotReturned() {
    acquire(0, 10, 0, 10);
    manager.settled = CompletableFuture.failedFuture(lost());
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of(), manager.asked());
    assertFalse(ranges.isSound());
  }

  @Test
  void aFenceRenewsTheGrantAndRepeatsTheRequest() {
    CompletableFuture<Void> owned = own(0, 10);
    manager.refuse(ErrorCode.FENCED);
    assertEquals(1, manager.renewals);
    manager.timers.remove().run();
    manager.give(0, 10);
    assertTrue(owned.isDone());
  }

  @Test
  void withoutANewGrantTheRequestIsNotRepeated() {
    CompletableFuture<Void> owned = own(0, 10);
    manager.renewable = false;
    manager.refuse(ErrorCode.FENCED);
    assertEquals(ErrorCode.FENCED, codeOf(owned));
    assertEquals(0, manager.timers.size());
  }

  @Test
  void aCallForARangeEndsAfterItsPatience() {
    CompletableFuture<Void> owned = own(0, 10);
    manager.nowNanos += TimeUnit.MINUTES.toNanos(3);
    manager.refuse(ErrorCode.BUSY);
    assertEquals(ErrorCode.BUSY, codeOf(owned));
    assertTrue(ranges.isSound(), "the file can be written on");
  }

  @Test
  void aLostReturnEndsTheFile() {
    acquire(0, 20, 0, 20);
    ranges.recall(new ByteRange(0, 10));
    manager.releasing.remove().completeExceptionally(lost());
    assertFalse(ranges.isSound());
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, codeOf(own(10, 20)));
  }

  private static WeftException lost() {
    return new WeftException(ErrorCode.DEADLINE_EXCEEDED, "nothing came back");
  }

  @Test
  void afterTheEndNothingIsGivenBack() {
    acquire(0, 20, 0, 20);
    ranges.end();
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of(), manager.asked());
  }

  @Test
  void aRangeGivenAfterTheEndIsNotUsed() {
    CompletableFuture<Void> owned = own(0, 10);
    ranges.end();
    manager.give(0, 10);
    assertEquals(ErrorCode.CANCELLED, codeOf(owned));
  }

  /** The request may be heard later: what others wait for in this client fails, too. */
  @Test
  void afterARequestWithoutAnAnswerNoOtherIsMade() {
    acquire(0, 10, 0, 10);
    CompletableFuture<Void> first = own(20, 30);
    CompletableFuture<Void> second = own(40, 50);
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of("+20 to 30"), manager.asked());
    manager.refuse(ErrorCode.DEADLINE_EXCEEDED);
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, codeOf(first));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, codeOf(second));
    assertEquals(List.of(), manager.asked());
    assertFalse(ranges.isSound());
  }

  /** As for want of memory: callers that wait are told, since nothing else would end their wait. */
  @Test
  void anImmediateFailureEndsTheRequest() {
    acquire(0, 10, 0, 10);
    manager.thrown = Optional.of(new IllegalStateException("no memory"));
    CompletableFuture<Void> owned = own(20, 30);
    assertTrue(owned.isCompletedExceptionally());
    assertFalse(ranges.isSound());
  }

  @Test
  void aFailureDuringAReturnEndsTheWaiting() {
    acquire(0, 10, 0, 10);
    manager.settled = new CompletableFuture<>();
    ranges.recall(new ByteRange(0, 10));
    CompletableFuture<Void> again = own(0, 10);
    manager.thrown = Optional.of(new IllegalStateException("no memory"));
    manager.settled.complete(null);
    assertTrue(again.isCompletedExceptionally());
    assertFalse(ranges.isSound());
  }

  @Test
  void aWriterThatGivesUpAsksNoMore() {
    CompletableFuture<Void> owned = own(0, 10);
    manager.refuse(ErrorCode.BUSY);
    manager.asked();
    ranges.end();
    manager.timers.remove().run();
    assertEquals(ErrorCode.CANCELLED, codeOf(owned));
    assertEquals(List.of(), manager.asked());
  }

  @Test
  void anOwnerOfManyRangesGivesThemBackAndBeginsAnew() {
    for (int each = 0; each < 500; each++) {
      long from = 20L * each;
      acquire(from, from + 10, from, from + 10);
    }
    CompletableFuture<Void> owned = own(100_000, 100_010);
    assertEquals(List.of("-0 to the end"), manager.asked());
    manager.released();
    assertEquals(List.of("+100000 to 100010"), manager.asked());
    manager.give(100_000, 100_010);
    assertTrue(owned.isDone());
  }

  @Test
  void aRangeOwnedForReadingIsAcquiredAgainForAWrite() {
    acquireToRead(0, 10, 0, 40);
    assertTrue(ownToRead(20, 30).isDone());
    CompletableFuture<Void> writing = own(20, 30);
    assertEquals(List.of("+20 to 30"), manager.asked());
    assertFalse(writing.isDone());
    manager.give(20, 30);
    assertTrue(writing.isDone());
    assertTrue(own(20, 30).isDone());
    assertTrue(ownToRead(0, 40).isDone(), "what may be written may be read");
    CompletableFuture<Void> beside = own(30, 40);
    assertEquals(List.of("+30 to 40"), manager.asked());
    assertFalse(beside.isDone());
  }

  @Test
  void aRangeOwnedForReadingGoesBackToAWriter() {
    acquireToRead(0, 20, 0, 20);
    assertTrue(ownToRead(0, 10).isDone());
    ranges.recall(new ByteRange(0, 10));
    CompletableFuture<Void> later = ownToRead(0, 10);
    assertEquals(List.of(), manager.asked(), "one reads there still");
    done(0, 10);
    assertEquals(List.of("-0 to 10"), manager.asked());
    assertFalse(later.isDone(), "and is not read any more");
    assertTrue(ownToRead(10, 20).isDone());
    manager.released();
    assertEquals(List.of("to read +0 to 10"), manager.asked());
    manager.give(0, 10);
    assertTrue(later.isDone());
  }

  /** Both own it for reading, and the manager asks each of them for the other one. */
  @Test
  void aReaderWaitingToWriteReturnsItsRange() {
    acquireToRead(0, 10, 0, 10);
    CompletableFuture<Void> writing = own(0, 10);
    assertEquals(List.of("+0 to 10"), manager.asked());
    ranges.recall(new ByteRange(0, 10));
    assertEquals(List.of(), manager.asked(), "the manager is being asked");
    manager.refuse(ErrorCode.BUSY);
    assertEquals(List.of("-0 to 10"), manager.asked());
    manager.released();
    manager.timers.remove().run();
    assertEquals(List.of("+0 to 10"), manager.asked());
    manager.give(0, 10);
    assertTrue(writing.isDone());
  }

  @Test
  void onlyRangesOwnedForWritingAreSettledBeforeTheirReturn() {
    acquireToRead(0, 40, 0, 40);
    acquire(10, 20, 10, 20);
    manager.settled = new CompletableFuture<>();
    ranges.recall(new ByteRange(0, 40));
    assertEquals(List.of("settle [10 to 20]"), manager.asked());
    manager.settled.complete(null);
    assertEquals(List.of("-0 to 40"), manager.asked());
  }

  @Test
  void unusedReadRangesAreReturnedWithARange() {
    acquireToRead(50, 60, 0, ByteRange.END);
    ranges.recall(new ByteRange(20, 30));
    assertEquals(List.of("-0 to 50"), manager.asked());
    manager.released();
    assertTrue(ownToRead(50, 60).isDone());
  }

  @Test
  void aReadRangeGoesBackBesideAnUnheardReturn() {
    acquireToRead(0, 10, 0, 10);
    acquireToRead(20, 30, 20, 30);
    ranges.recall(new ByteRange(0, 10));
    ranges.recall(new ByteRange(20, 30));
    assertEquals(List.of("-0 to 10", "-20 to 30"), manager.asked());
    ranges.recall(new ByteRange(20, 30));
    assertEquals(List.of(), manager.asked(), "it is on its way");
  }

  @Test
  void aReaderOfManyRangesGivesThemBackAndBeginsAnew() {
    for (int each = 0; each < 500; each++) {
      long from = 20L * each;
      acquireToRead(from, from + 10, from, from + 10);
    }
    CompletableFuture<Void> owned = ownToRead(100_000, 100_010);
    assertEquals(List.of("-0 to the end"), manager.asked());
    manager.released();
    assertEquals(List.of("to read +100000 to 100010"), manager.asked());
    manager.give(100_000, 100_010);
    assertTrue(owned.isDone());
  }

  @Test
  void aManagerOfAnEarlierReleaseGivesReadersTheRangeForWriting() {
    manager.isOfEarlierRelease = true;
    acquireToRead(0, 10, 0, 20);
    use(10, 20);
    assertEquals(List.of(), manager.asked());
  }

  /** It believes of every reader of another release that it owns the range alone. */
  @Test
  void anOlderManagerGetsTheReadRangeBackBeforeAWriteRequest() {
    acquireToRead(0, 20, 0, 20);
    manager.isOfEarlierRelease = true;
    CompletableFuture<Void> writing = own(0, 10);
    manager.asked();
    manager.give(0, 20);
    assertFalse(writing.isDone(), "others may read there");
    assertEquals(List.of("-0 to 20"), manager.asked());
    manager.released();
    assertEquals(List.of("+0 to 10"), manager.asked());
    manager.give(0, 10);
    assertTrue(writing.isDone());
  }

  private static ErrorCode codeOf(CompletableFuture<?> failed) {
    assertTrue(failed.isDone());
    return WeftException.of(assertThrows(CompletionException.class, failed::join)).code();
  }
}
