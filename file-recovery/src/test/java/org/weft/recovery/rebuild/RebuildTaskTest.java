package org.weft.recovery.rebuild;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.base.StripeOptions;

class RebuildTaskTest {
  private static final long READ_ATTEMPT_NANOS =
      TimeUnit.MILLISECONDS.toNanos(StripeOptions.defaults().readAttemptMillis());

  @Test
  void aPieceIsFollowedByThePauseOfItsShare() {
    assertEquals(0, task(100).pauseNanos(TimeUnit.MILLISECONDS.toNanos(900)));
    assertEquals(
        TimeUnit.MILLISECONDS.toNanos(900),
        task(50).pauseNanos(TimeUnit.MILLISECONDS.toNanos(900)));
  }

  @Test
  void aPieceThatWasNotAnsweredForAMinuteIsNotFollowedByAPauseOfMinutes() {
    long tookNanos = TimeUnit.MINUTES.toNanos(1);
    assertEquals(TimeUnit.SECONDS.toNanos(16), task(100).pauseNanos(tookNanos));
    assertEquals(TimeUnit.SECONDS.toNanos(16) + tookNanos, task(50).pauseNanos(tookNanos));
    assertEquals(TimeUnit.MINUTES.toNanos(2), task(1).pauseNanos(tookNanos));
  }

  /**
   * Disks that need a quarter of a second for each request, and have sixty pieces before them:
   * after some rounds no request of a piece takes as long as it may.
   */
  @Test
  void piecesThatWaitBehindOthersMakeWayUntilNoRequestFails() {
    int pieces = 60;
    double seconds = 0.25;
    // A piece waits for those that are not in their pause.
    double took = pieces * seconds;
    assertTrue(took * 1e9 > READ_ATTEMPT_NANOS, "the queue is longer than a request may take");
    for (int round = 0; round < 100; round++) {
      double pause = task(100).pauseNanos((long) (took * 1e9)) / 1e9;
      double waiting = pieces * took / (took + pause);
      took = (took + waiting * seconds) / 2;
    }
    assertTrue(took * 1e9 < READ_ATTEMPT_NANOS, "a piece takes " + took + " s");
    double busy = pieces * seconds / (took + task(100).pauseNanos((long) (took * 1e9)) / 1e9);
    assertTrue(busy > 0.9, "the disk is busy " + busy);
  }

  private static RebuildTask task(int sharePercent) {
    return new RebuildTask(
        0, 1, 1, 0, new TreeSet<>(), Optional.empty(), sharePercent, bytes -> {});
  }
}
