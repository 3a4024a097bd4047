package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Looks and sleeps of a wait, by a clock that only its sleeps move. */
class PolledWaitTest {
  private final List<Long> slept = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 10;
  private int looks;

  private PolledWait waiting(long pauseNanos, long maxNanos) {
    return new PolledWait(() -> nowNanos, this::sleep, pauseNanos, maxNanos);
  }

  private void sleep(long nanos) {
    slept.add(nanos);
    nowNanos += nanos;
  }

  @Test
  void whatHoldsIsNotWaitedFor() throws IOException {
    assertTrue(waiting(5, 0).until(() -> true));
    assertEquals(List.of(), slept);
  }

  @Test
  void looksAgainAfterEachPause() throws IOException {
    assertTrue(waiting(5, 100).until(() -> ++looks == 3));
    assertEquals(List.of(5L, 5L), slept);
  }

  /** The clock passes its greatest number meanwhile. */
  @Test
  void theLastPauseEndsAtTheDeadlineAndALookFollows() throws IOException {
    assertFalse(
        waiting(5, 12)
            .until(
                () -> {
                  looks++;
                  return false;
                }));
    assertEquals(List.of(5L, 5L, 2L), slept);
    assertEquals(4, looks);
  }

  @Test
  void theDeadlineCountsFromWhereItIsSet() throws IOException {
    PolledWait endless = waiting(5, Long.MAX_VALUE);
    assertTrue(endless.pause());
    assertEquals(5, endless.waitedNanos());
    PolledWait wait = endless.atMost(Duration.ofNanos(5));
    assertEquals(0, wait.waitedNanos());
    assertTrue(wait.pause());
    assertFalse(wait.pause());
    assertEquals(List.of(5L, 5L), slept);
  }

  @Test
  void whatFailsWhileItIsLookedAtEndsTheWait() {
    PolledWait wait = waiting(5, 100);
    assertThrows(
        IllegalStateException.class,
        () ->
            wait.until(
                () -> {
                  throw new IllegalStateException("looked at");
                }));
    assertEquals(List.of(), slept);
  }

  @Test
  void anInterruptedThreadDoesNotSleepAndStaysInterrupted() {
    PolledWait wait = PolledWait.every(Duration.ofHours(1));
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> wait.until(() -> false));
    assertTrue(Thread.interrupted());
  }
}
