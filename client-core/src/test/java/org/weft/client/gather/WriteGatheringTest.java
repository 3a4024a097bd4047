package org.weft.client.gather;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.stripe.base.References;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** Small writes are gathered within a bound, and what is sent is what was written last. */
class WriteGatheringTest {
  private static final int STRIPE = 8_192;
  private static final int BOUND = GatherLimits.MIN_BYTES;
  private static final long AGE = 1_000_000;
  private static final int KEPT = 8 * STRIPE;

  private final SlowFile file = new SlowFile(200 * STRIPE);
  private final WriteGathering gathering =
      new WriteGathering(file, new GatherLimits(BOUND, AGE, KEPT), STRIPE);

  /** Of which the gathering has not given back all yet. */
  private int kept;

  /** Memory that the gathering alone holds. */
  private long pinnedBytes;

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.gather.seeds", 60));
  }

  private static ByteBuffer bytes(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  private CompletableFuture<Void> write(long from, int length, int value) {
    return gathering.write(from, bytes(length, value));
  }

  /** In memory that may be kept, and is spoiled when it goes back. */
  private CompletableFuture<Void> keep(long from, int length, int value) {
    ByteBuffer data = bytes(length, value);
    kept++;
    References memory =
        new References(
            () -> {
              kept--;
              pinnedBytes -= length;
              Arrays.fill(data.array(), (byte) -1);
            });
    return gathering
        .write(from, data.asReadOnlyBuffer(), memory)
        .whenComplete(
            (nothing, thrown) -> {
              pinnedBytes += length;
              memory.release();
            });
  }

  private void succeedUntil(CompletableFuture<?> done) {
    while (!done.isDone()) {
      file.next().succeed();
    }
  }

  /** As where memory is short: the write fails, and what is counted is right. */
  @Test
  void aStripeThatCannotBeKeptLeavesNothingBehind() {
    References gone = new References(() -> {});
    gone.release();
    ByteBuffer data = bytes(STRIPE, 7);
    assertThrows(IllegalStateException.class, () -> gathering.write(0, data, gone));
    assertEquals(0, gathering.heldBytes());
    assertEquals(0, gathering.keptBytes());
    assertEquals(0, gathering.endBytes());
    gather(10, 100, 8);
    assertTrue(gathering.heldBytes() > 0);
  }

  private void gather(long from, int length, int value) {
    assertTrue(write(from, length, value).isDone());
  }

  private static WeftException failureOf(CompletableFuture<?> future) {
    assertTrue(future.isDone());
    return WeftException.of(assertThrows(Exception.class, future::join));
  }

  @Test
  void aSmallWriteIsOverAtOnceAndSentWhenSettled() {
    ByteBuffer data = bytes(100, 7);
    assertTrue(gathering.write(50, data).isDone());
    assertFalse(data.hasRemaining());
    assertEquals(List.of(), file.names());
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    assertEquals(List.of("50+100"), file.names());
    assertFalse(settled.isDone());
    file.next().succeed();
    assertTrue(settled.isDone());
    assertEquals(0, gathering.heldBytes());
  }

  @Test
  void neighboursAreSentAsOne() {
    for (int at = 0; at < 1_000; at += 100) {
      gather(at, 100, at);
    }
    var unused = gathering.settle(ByteRange.ALL);
    assertEquals(List.of("0+1000"), file.names());
  }

  @Test
  void aFullStripeIsSentAtOnce() {
    gather(STRIPE, STRIPE / 2, 1);
    assertEquals(List.of(), file.names());
    gather(STRIPE + STRIPE / 2, STRIPE / 2, 2);
    assertEquals(List.of(STRIPE + "+" + STRIPE), file.names());
  }

  @Test
  void wholeStripesAreNotCopiedAndTheirEndsAre() {
    int length = 3 * STRIPE;
    CompletableFuture<Void> written = write(100, length, 1);
    assertEquals(List.of(STRIPE + "+" + 2 * STRIPE), file.names());
    assertFalse(written.isDone());
    assertEquals(
        STRIPE + 2L * (GatheredRun.OVERHEAD_BYTES + GatheredStripe.OVERHEAD_BYTES),
        gathering.heldBytes());
    file.next().succeed();
    assertTrue(written.isDone());
    assertEquals(100 + length, gathering.endBytes());
  }

  @Test
  void theThirdOfSeveralStripesWaitsAndTheNextJoinIt() {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int stripe = 0; stripe < 6; stripe++) {
      writes.add(write((long) stripe * STRIPE, STRIPE, stripe + 1));
    }
    assertEquals(List.of("0+" + STRIPE, STRIPE + "+" + STRIPE), file.names());
    file.next().succeed();
    assertTrue(writes.get(0).isDone());
    assertEquals(List.of(STRIPE + "+" + STRIPE, 2 * STRIPE + "+" + 4 * STRIPE), file.names());
    file.next().succeed();
    file.next().succeed();
    assertTrue(writes.stream().allMatch(CompletableFuture::isDone));
    for (int stripe = 0; stripe < 6; stripe++) {
      assertEquals(stripe + 1, file.content[stripe * STRIPE + 17]);
    }
  }

  @Test
  void keptStripesAreOverAtOnceAndGoTogether() {
    for (int stripe = 0; stripe < 4; stripe++) {
      assertEquals(List.of(), file.names());
      assertTrue(keep((long) stripe * STRIPE, STRIPE, stripe + 1).isDone());
    }
    assertEquals(List.of("0+" + 4 * STRIPE), file.names());
    assertEquals(4, kept);
    assertEquals(4L * STRIPE, gathering.keptBytes());
    assertEquals(4L * STRIPE, gathering.endBytes());
    file.next().succeed();
    assertEquals(0, kept);
    assertEquals(0, gathering.keptBytes());
    assertEquals(0, gathering.heldBytes());
    assertEquals(4, file.content[3 * STRIPE + 17]);
  }

  @Test
  void keptStripesThatCameInAnyOrderGoTogether() {
    for (int stripe : new int[] {2, 0, 3, 1}) {
      assertTrue(keep((long) stripe * STRIPE, STRIPE, stripe + 1).isDone());
    }
    assertEquals(List.of("0+" + 4 * STRIPE), file.names());
  }

  @Test
  void keptStripesOfAnUnfinishedRunAreSentWhenSettledOrOld() {
    var unused = keep(STRIPE, 2 * STRIPE, 1);
    CompletableFuture<Void> settled = gathering.settle(new ByteRange(STRIPE, STRIPE + 1));
    assertEquals(List.of(STRIPE + "+" + 2 * STRIPE), file.names());
    assertFalse(settled.isDone());
    file.next().succeed();
    assertTrue(settled.isDone());
    unused = keep(8L * STRIPE, STRIPE, 1);
    file.pass(AGE);
    assertEquals(List.of(8 * STRIPE + "+" + STRIPE), file.names());
  }

  @Test
  void aWriteOverKeptBytesChangesACopy() {
    assertTrue(keep(0, STRIPE, 1).isDone());
    gather(100, 10, 2);
    assertEquals(0, kept, "it is copied");
    assertTrue(keep(STRIPE, STRIPE, 3).isDone());
    assertTrue(keep(STRIPE, STRIPE, 4).isDone());
    assertEquals(1, kept, "it is replaced");
    var unused = gathering.settle(ByteRange.ALL);
    while (!file.underWay.isEmpty()) {
      file.next().succeed();
    }
    assertEquals(1, file.content[99]);
    assertEquals(2, file.content[100]);
    assertEquals(1, file.content[110]);
    assertEquals(4, file.content[STRIPE]);
    assertEquals(0, kept);
  }

  @Test
  void beyondTheBoundKeptStripesWaitForRoom() {
    for (int stripe = 0; stripe < 8; stripe++) {
      assertTrue(keep((long) stripe * STRIPE, STRIPE, 1).isDone());
    }
    CompletableFuture<Void> waiting = keep(8L * STRIPE, STRIPE, 2);
    assertFalse(waiting.isDone());
    file.next().succeed();
    assertTrue(waiting.isDone());
  }

  @Test
  void aKeptPartHoldsItsWholeMemory() {
    assertTrue(keep(100, 3 * STRIPE, 1).isDone());
    assertEquals(3L * STRIPE, gathering.keptBytes(), "its ends are copied");
    assertTrue(keep(STRIPE, STRIPE, 2).isDone());
    assertEquals(4L * STRIPE, gathering.keptBytes(), "a stripe of it is left");
    assertTrue(keep(2L * STRIPE, STRIPE, 3).isDone());
    assertEquals(2L * STRIPE, gathering.keptBytes(), "nothing of it is left");
    assertEquals(gathering.keptBytes(), pinnedBytes);
  }

  /** Each leaves one stripe of the one before, in memory for several. */
  @Test
  void writesShiftedAgainstEachOtherHoldNoMoreMemoryThanTheBound() {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int run = 0; run < 6; run++) {
      for (int stripe = 1; stripe < 4; stripe++) {
        writes.add(keep((4L * run + stripe) * STRIPE, (4 - stripe) * STRIPE, stripe));
        assertTrue(pinnedBytes <= KEPT, pinnedBytes + " bytes are held");
      }
    }
    for (CompletableFuture<Void> each : writes) {
      succeedUntil(each);
      assertTrue(pinnedBytes <= KEPT, pinnedBytes + " bytes are held");
    }
    succeedUntil(gathering.settle(ByteRange.ALL));
    assertEquals(0, pinnedBytes);
    for (int stripe = 0; stripe < 24; stripe++) {
      assertEquals(stripe % 4, file.content[stripe * STRIPE]);
    }
  }

  @Test
  void aStripeThatTwoWritesFillGoesWithItsKeptNeighbours() {
    assertTrue(keep(0, 100, 1).isDone());
    assertTrue(keep(100, 2 * STRIPE, 2).isDone());
    assertEquals(List.of(), file.names());
    assertTrue(keep(2 * STRIPE + 100, 2 * STRIPE, 3).isDone());
    assertEquals(List.of("0+" + 4 * STRIPE), file.names());
    file.next().succeed();
    assertEquals(2, file.content[2 * STRIPE + 99]);
    assertEquals(3, file.content[4 * STRIPE - 1]);
    assertEquals(0, kept);
    assertEquals(4L * STRIPE + 100, gathering.endBytes());
  }

  @Test
  void aStripeFilledByTwoWritesIsSentWithoutAFullRun() {
    assertTrue(keep(100, 2 * STRIPE, 1).isDone());
    gather(0, 100, 2);
    assertEquals(List.of(), file.names());
    file.pass(AGE);
    assertEquals(List.of("0+" + 2 * STRIPE, 2 * STRIPE + "+100"), file.names());
  }

  /** It could not go while it was a part. */
  @Test
  void aDueStripeThatFillsTakesItsNeighboursAlong() {
    file.sideBySide = false;
    gather(0, 100, 1);
    gather(4L * STRIPE, 100, 2);
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    assertTrue(keep(5L * STRIPE, 3 * STRIPE, 3).isDone());
    assertEquals(List.of("0+100"), file.names());
    assertTrue(keep(4L * STRIPE, STRIPE, 4).isDone());
    assertEquals(List.of("0+100", 4 * STRIPE + "+" + 4 * STRIPE), file.names());
    succeedUntil(settled);
    assertEquals(4, file.content[4 * STRIPE]);
    assertEquals(3, file.content[8 * STRIPE - 1]);
    assertEquals(0, kept);
  }

  /** Its run is never whole any more. */
  @Test
  void aDueStripeThatFillsTakesFullStripesOfItsRun() {
    file.sideBySide = false;
    gather(0, 100, 1);
    gather(4L * STRIPE, 100, 2);
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    assertTrue(keep(5L * STRIPE, STRIPE, 3).isDone());
    assertTrue(keep(4L * STRIPE, STRIPE, 4).isDone());
    assertEquals(List.of("0+100", 4 * STRIPE + "+" + 2 * STRIPE), file.names());
    succeedUntil(settled);
    assertEquals(0, kept);
  }

  /** Of a file with small stripes: it could never be taken, and would wait for ever. */
  @Test
  void aWriteTooLargeForTheBookkeepingIsNotGathered() {
    int stripe = 16;
    GatherLimits limits = new GatherLimits(BOUND, AGE, GatherLimits.USUAL_KEPT_BYTES);
    WriteGathering small = new WriteGathering(file, limits, stripe);
    int most = (int) limits.mostKeptBytes(stripe);
    for (int length : new int[] {most, most + stripe, 40 * most}) {
      ByteBuffer data = bytes(length, length);
      References memory = new References(() -> kept--);
      kept++;
      CompletableFuture<Void> written =
          small.write(8, data, memory).whenComplete((nothing, thrown) -> memory.release());
      succeedUntil(written);
      succeedUntil(small.settle(ByteRange.ALL));
      assertEquals((byte) length, file.content[8]);
      assertEquals((byte) length, file.content[7 + length]);
      assertEquals(0, kept);
    }
  }

  @Test
  void keptStripesHereAndThereLeaveRoomForOthers() {
    for (int stripe = 0; stripe < 40; stripe += 5) {
      var unused = keep((long) stripe * STRIPE, STRIPE, 1);
    }
    assertEquals(4, file.names().size());
    assertEquals("0+" + STRIPE, file.names().get(0));
  }

  @Test
  void keptMemoryGoesBackAfterAFailureAndAtTheEnd() {
    var unused = keep(0, 4 * STRIPE, 1);
    unused = keep(9L * STRIPE, STRIPE, 1);
    file.next().fail(ErrorCode.UNAVAILABLE);
    assertEquals(0, kept);
    assertEquals(1, file.failures.size());
    assertFalse(gathering.isSound());
    assertEquals(0, gathering.keptBytes());
    assertEquals(ErrorCode.UNAVAILABLE, failureOf(keep(0, STRIPE, 2)).code());
    assertEquals(0, kept);
  }

  @Test
  void keptStripesAreSentBeforeTheyAreGivenBack() {
    var unused = keep(0, 3 * STRIPE, 1);
    CompletableFuture<Void> sent =
        gathering.sendNow(ByteRanges.NONE.plus(new ByteRange(0, 2L * STRIPE)), hull -> true);
    while (!sent.isDone()) {
      file.next().succeed();
    }
    assertEquals(1, file.content[2 * STRIPE - 1]);
    assertEquals(0, file.content[2 * STRIPE]);
    assertEquals(1, kept, "a third of its memory is looked at");
    gathering.end();
    assertEquals(0, kept);
  }

  /** Others wait for each of these requests. */
  @Test
  void returnedKeptStripesShareRequestsAsUsual() {
    gather(10, 10, 1);
    for (int stripe = 2; stripe < 6; stripe++) {
      assertTrue(keep((long) stripe * STRIPE, STRIPE, stripe).isDone());
    }
    assertEquals(List.of(), file.names());
    CompletableFuture<Void> sent =
        gathering.sendNow(ByteRanges.NONE.plus(new ByteRange(0, 8L * STRIPE)), hull -> true);
    List<String> requests = new ArrayList<>();
    while (!sent.isDone()) {
      requests.addAll(file.names());
      file.next().succeed();
    }
    assertEquals(
        List.of("10+10", 2 * STRIPE + "+" + 2 * STRIPE, 4 * STRIPE + "+" + 2 * STRIPE), requests);
    assertEquals(5, file.content[6 * STRIPE - 1]);
    assertEquals(0, kept);
  }

  @Test
  void aReturnedRunKeepsStripesThatMayNotGo() {
    assertTrue(keep(0, 3 * STRIPE, 1).isDone());
    CompletableFuture<Void> sent =
        gathering.sendNow(
            ByteRanges.NONE.plus(new ByteRange(0, 4L * STRIPE)), hull -> hull.from() != STRIPE);
    List<String> requests = new ArrayList<>();
    while (!sent.isDone()) {
      requests.addAll(file.names());
      file.next().succeed();
    }
    assertEquals(List.of("0+" + STRIPE, 2 * STRIPE + "+" + STRIPE), requests);
    assertEquals(1, kept);
    succeedUntil(gathering.settle(ByteRange.ALL));
    assertEquals(1, file.content[STRIPE]);
    assertEquals(0, kept);
  }

  @Test
  void wholeStripesHereAndThereDoNotWaitForEachOther() {
    for (int stripe = 0; stripe < 12; stripe += 2) {
      var unused = write((long) stripe * STRIPE, STRIPE, 1);
    }
    assertEquals(6, file.names().size());
  }

  @Test
  void aFailureFailsTheWritesOfItsBatchAlone() {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int stripe = 0; stripe < 4; stripe++) {
      writes.add(write((long) stripe * STRIPE, STRIPE, 1));
    }
    file.next().succeed();
    file.next().succeed();
    file.next().fail(ErrorCode.NO_SPACE);
    assertEquals(ErrorCode.NO_SPACE, failureOf(writes.get(2)).code());
    assertEquals(ErrorCode.NO_SPACE, failureOf(writes.get(3)).code());
    assertTrue(gathering.isSound());
    CompletableFuture<Void> again = write(2L * STRIPE, STRIPE, 2);
    file.next().succeed();
    assertTrue(again.isDone());
  }

  @Test
  void aWriteOfStripesThatWaitIsNotOvertaken() {
    for (int stripe = 0; stripe < 3; stripe++) {
      var unused = write((long) stripe * STRIPE, STRIPE, 1);
    }
    CompletableFuture<Void> later = write(2L * STRIPE, 2 * STRIPE, 9);
    assertEquals(2, file.names().size());
    while (!later.isDone()) {
      file.next().succeed();
    }
    assertEquals(9, file.content[2 * STRIPE + 5]);
  }

  @Test
  void gatheredBytesAreWrittenBeforeALaterWholeStripe() {
    gather(10, 10, 1);
    CompletableFuture<Void> whole = write(0, STRIPE, 2);
    assertEquals(List.of("10+10"), file.names());
    gather(20, 10, 3);
    var unused = gathering.settle(ByteRange.ALL);
    file.next().succeed();
    assertEquals(List.of("0+" + STRIPE), file.names());
    assertFalse(whole.isDone());
    file.next().succeed();
    assertTrue(whole.isDone());
    assertEquals(List.of("20+10"), file.names());
    file.next().succeed();
    assertEquals(2, file.content[10]);
    assertEquals(3, file.content[20]);
  }

  @Test
  void theSameBytesAreNeverUnderWayTwice() {
    gather(0, 10, 1);
    var unused = gathering.settle(ByteRange.ALL);
    gather(5, 10, 2);
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    assertEquals(List.of("0+10"), file.names());
    file.next().succeed();
    assertEquals(List.of("5+10"), file.names());
    assertFalse(settled.isDone());
    file.next().succeed();
    assertTrue(settled.isDone());
  }

  @Test
  void fromHalfOfTheBoundOnTheOldestIsSent() {
    gather(9 * STRIPE, 6_000, 1);
    gather(2 * STRIPE, 6_000, 1);
    gather(5 * STRIPE, 6_000, 1);
    gather(3 * STRIPE, 6_000, 1);
    gather(4 * STRIPE, 6_000, 1);
    assertEquals(List.of(), file.names());
    gather(7 * STRIPE, 6_000, 1);
    assertEquals(List.of(9 * STRIPE + "+6000"), file.names());
  }

  @Test
  void writesPastTheBoundWaitInOrderForRoom() {
    long stripe = 0;
    CompletableFuture<Void> first = write(0, 6_000, 1);
    while (first.isDone()) {
      stripe++;
      first = write(stripe * STRIPE, 6_000, 1);
    }
    assertTrue(gathering.heldBytes() > BOUND - 8_000 && gathering.heldBytes() <= BOUND);
    CompletableFuture<Void> second = write((stripe + 1) * STRIPE, 6_000, 1);
    CompletableFuture<Void> small = write((stripe + 2) * STRIPE, 1, 1);
    assertFalse(small.isDone(), "no call passes one that waits");
    file.next().succeed();
    assertTrue(first.isDone());
    assertFalse(second.isDone());
    file.next().succeed();
    assertTrue(second.isDone() && small.isDone());
    assertTrue(gathering.heldBytes() <= BOUND);
  }

  @Test
  void loneBytesAreBoundedByTheirBookkeeping() {
    int taken = 0;
    while (write((long) STRIPE * (taken % 190) + taken / 190 * 10, 1, 1).isDone()) {
      taken++;
      assertTrue(taken < BOUND / GatheredRun.OVERHEAD_BYTES, "each costs more than its byte");
      assertTrue(gathering.heldBytes() <= BOUND);
    }
    assertTrue(taken > 100);
  }

  @Test
  void anOldStripeIsSentThoughItStillGrows() {
    gather(0, 10, 1);
    file.pass(AGE / 2);
    gather(10, 10, 2);
    gather(STRIPE, 10, 3);
    file.pass(AGE / 2 - 1);
    assertEquals(List.of(), file.names());
    file.pass(1);
    assertEquals(List.of("0+20"), file.names());
    file.pass(AGE / 2);
    file.next().succeed();
    assertEquals(List.of(STRIPE + "+10"), file.names());
    file.next().succeed();
    file.pass(10 * AGE);
    assertEquals(0, file.timers.size(), "nothing is left to wait for");
    gather(0, 10, 4);
    file.pass(AGE);
    assertEquals(List.of("0+10"), file.names());
  }

  /** Where the others would only wait, and might be given away meanwhile. */
  @Test
  void partsOfStripesAreSentSinglyWhereTheyWouldBlock() {
    file.sideBySide = false;
    gather(0, 10, 1);
    gather(STRIPE, 10, 1);
    gather(2 * STRIPE, 10, 1);
    var unused = gathering.settle(ByteRange.ALL);
    gather(3 * STRIPE, STRIPE / 2, 1);
    gather(3 * STRIPE + STRIPE / 2, STRIPE / 2, 1);
    String full = 3 * STRIPE + "+" + STRIPE;
    assertEquals(List.of("0+10", full), file.names());
    file.next().succeed();
    assertEquals(List.of(full, STRIPE + "+10"), file.names());
  }

  @Test
  void stripesGoTogetherAndEachRunByRun() {
    gather(0, 10, 1);
    gather(100, 10, 1);
    gather(STRIPE, 10, 1);
    var unused = gathering.settle(ByteRange.ALL);
    gather(2 * STRIPE, STRIPE / 2, 1);
    gather(2 * STRIPE + STRIPE / 2, STRIPE / 2, 1);
    String second = STRIPE + "+10";
    String full = 2 * STRIPE + "+" + STRIPE;
    assertEquals(List.of("0+10", second, full), file.names());
    file.next().succeed();
    assertEquals(List.of(second, full, "100+10"), file.names());
    file.underWay.get(2).succeed();
    assertEquals(List.of(second, full), file.names());
  }

  @Test
  void settlingARangeWaitsForNothingElse() {
    gather(0, 10, 1);
    gather(STRIPE, 10, 1);
    CompletableFuture<Void> settled = gathering.settle(new ByteRange(STRIPE + 5, STRIPE + 6));
    assertEquals(List.of(STRIPE + "+10"), file.names());
    gather(STRIPE + 100, 10, 1);
    file.next().succeed();
    assertTrue(settled.isDone(), "nor for what came later");
  }

  @Test
  void onlyOwnedAndAllowedBytesAreSentNow() {
    gather(0, 10, 1);
    gather(STRIPE, 10, 1);
    gather(2 * STRIPE, 10, 1);
    CompletableFuture<Void> sent =
        gathering.sendNow(
            new ByteRanges(List.of(new ByteRange(0, 2 * STRIPE))), hull -> hull.from() > 0);
    assertEquals(List.of(STRIPE + "+10"), file.names());
    assertFalse(sent.isDone());
    file.next().succeed();
    assertTrue(sent.isDone());
  }

  /** It waits to own its stripe, which others take meanwhile: they find its bytes. */
  @Test
  void bytesWaitingForAStripeAreSentBeforeItsReturn() {
    file.gate = new CompletableFuture<>();
    gather(0, 10, 1);
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    assertEquals(List.of(), file.names());
    CompletableFuture<Void> sent =
        gathering.sendNow(ByteRanges.NONE.plus(new ByteRange(0, STRIPE)), hull -> true);
    assertEquals(List.of("0+10"), file.names());
    file.next().succeed();
    assertTrue(sent.isDone());
    assertFalse(settled.isDone());
    file.gate.complete(null);
    assertTrue(settled.isDone());
    assertEquals(List.of(), file.names(), "and it is not sent twice");
  }

  @Test
  void aFailureNamesTheRangeAndStays() {
    gather(0, 10, 1);
    gather(STRIPE, 20, 1);
    gather(STRIPE + 100, 20, 1);
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    file.next().fail(ErrorCode.NO_SPACE);
    file.next().succeed();
    WeftException told = failureOf(settled);
    assertEquals(ErrorCode.NO_SPACE, told.code());
    assertTrue(told.getMessage().contains("bytes 0 to 10 "), told.getMessage());
    assertEquals(List.of(told.getMessage()), file.failures);
    assertEquals(told.getMessage(), failureOf(write(0, 1, 1)).getMessage());
    assertEquals(told.getMessage(), failureOf(gathering.settle(ByteRange.ALL)).getMessage());
    assertEquals(1, file.failures.size());
    assertEquals(List.of(), file.names(), "and nothing more is sent");
    assertFalse(gathering.isSound());
    assertEquals(0, gathering.heldBytes());
  }

  @Test
  void aWriteThatWaitsForRoomIsToldOfAFailure() {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int stripe = 0; stripe < 20; stripe++) {
      all.add(write((long) stripe * STRIPE, 6_000, 1));
    }
    CompletableFuture<Void> last = all.get(19);
    assertFalse(last.isDone());
    file.next().fail(ErrorCode.UNAVAILABLE);
    assertEquals(ErrorCode.UNAVAILABLE, failureOf(last).code());
  }

  @Test
  void aWholeStripeThatFailsFailsAlone() {
    gather(STRIPE, 10, 1);
    CompletableFuture<Void> whole = write(0, STRIPE, 2);
    file.next().fail(ErrorCode.NO_SPACE);
    assertEquals(ErrorCode.NO_SPACE, failureOf(whole).code());
    assertTrue(gathering.isSound());
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    file.next().succeed();
    assertTrue(settled.isDone());
  }

  @Test
  void afterTheEndNothingIsSent() {
    gather(0, 10, 1);
    gathering.end();
    assertEquals(ErrorCode.CANCELLED, failureOf(write(0, 1, 1)).code());
    file.pass(10 * AGE);
    assertEquals(List.of(), file.names());
    assertEquals(0, gathering.heldBytes());
  }

  /** Writes, settlings, age and give-backs in any order, and writes that take any time. */
  @ParameterizedTest
  @MethodSource("seeds")
  void whateverHappensTheLastWriteOfEachByteStays(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] model = new byte[file.content.length];
    int[] version = new int[model.length];
    int area = STRIPE * (1 + random.nextInt(random.nextBoolean() ? 3 : 150));
    int longest = random.nextBoolean() ? 600 : 3 * STRIPE;
    List<CompletableFuture<Void>> promises = new ArrayList<>();
    CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    CompletableFuture<Void> givenBack = CompletableFuture.completedFuture(null);
    for (int step = 0; step < 600; step++) {
      int kind = random.nextInt(100);
      if (kind < 60 && last.isDone()) {
        int from = random.nextInt(area);
        int length = 1 + random.nextInt(random.nextInt(longest) + 1);
        boolean keeps = random.nextInt(3) == 0;
        from = keeps ? from / STRIPE * STRIPE : from;
        length = keeps && random.nextBoolean() ? STRIPE : length;
        last = keeps ? keep(from, length, step) : write(from, length, step);
        Arrays.fill(model, from, from + length, (byte) step);
        Arrays.fill(version, from, from + length, step);
        promises.add(last);
      } else if (kind < 85) {
        file.any(random);
      } else if (kind < 90) {
        file.pass(random.nextLong(AGE));
      } else if (kind < 95) {
        int from = random.nextInt(area);
        int to = from + 1 + random.nextInt(8 * STRIPE);
        int[] then = Arrays.copyOfRange(version, from, to);
        boolean quiet = last.isDone();
        promises.add(
            gathering
                .settle(new ByteRange(from, to))
                .thenRun(
                    () -> {
                      for (int at = from; quiet && at < to; at++) {
                        if (version[at] == then[at - from]) {
                          assertEquals(model[at], file.content[at], "byte " + at + " is settled");
                        }
                      }
                    }));
      } else {
        int from = random.nextInt(area) / STRIPE * STRIPE;
        ByteRange range = new ByteRange(from, from + STRIPE * (1 + random.nextInt(4)));
        // What is being given back is not owned again before it is given back.
        if (givenBack.isDone() && !file.isUnderWayIn(range)) {
          givenBack = gathering.sendNow(ByteRanges.NONE.plus(range), hull -> true);
          promises.add(givenBack);
        }
      }
      assertTrue(gathering.heldBytes() <= BOUND, "within the bound");
      assertTrue(gathering.keptBytes() <= KEPT, "within the bound of kept memory");
      assertTrue(pinnedBytes <= gathering.keptBytes(), "what is held is counted");
    }
    while (!last.isDone()) {
      assertTrue(file.any(random), "a call waits for ever");
    }
    promises.add(gathering.settle(ByteRange.ALL));
    while (!promises.stream().allMatch(CompletableFuture::isDone)) {
      assertTrue(file.any(random), "a call waits for ever");
    }
    promises.forEach(CompletableFuture::join);
    assertArrayEquals(model, file.content);
    assertEquals(0, gathering.heldBytes());
    assertEquals(0, gathering.endBytes());
    assertEquals(0, gathering.keptBytes());
    assertEquals(0, kept);
  }

  /** Nothing else would ever end the wait of callers that write, settle and close. */
  @Test
  void anErrorWhileItGoesOnIsToldToAllThatWait() {
    CompletableFuture<Void> waiting = fillUntilAWriteWaits();
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    file.error = new OutOfMemoryError("made to fail");
    while (!file.underWay.isEmpty()) {
      file.next().succeed();
    }
    assertTrue(failureOf(waiting).getMessage().contains("made to fail"));
    assertTrue(failureOf(settled).getMessage().contains("made to fail"));
    assertTrue(failureOf(write(0, 10, 2)).getMessage().contains("made to fail"));
  }

  @Test
  void aFailureThatCannotBeToldKeepsNoCallerWaiting() {
    CompletableFuture<Void> waiting = fillUntilAWriteWaits();
    CompletableFuture<Void> settled = gathering.settle(ByteRange.ALL);
    file.error = new OutOfMemoryError("made to fail");
    file.errorWhenTold = new OutOfMemoryError("no memory to tell of it");
    while (!file.underWay.isEmpty()) {
      file.next().succeed();
    }
    assertTrue(failureOf(write(0, 10, 2)).getMessage().contains("made to fail"));
    assertTrue(failureOf(waiting).getMessage().contains("made to fail"));
    assertTrue(failureOf(settled).getMessage().contains("made to fail"));
  }

  private CompletableFuture<Void> fillUntilAWriteWaits() {
    int at = 0;
    CompletableFuture<Void> last = write(at, 1_000, 1);
    while (last.isDone()) {
      at += 1_000;
      last = write(at, 1_000, 1);
    }
    return last;
  }
}
