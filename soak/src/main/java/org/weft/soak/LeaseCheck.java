package org.weft.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Checks that a manager does not answer while SysMgr does not renew its lease (P 6.2). An operation
 * that began after the lease had surely ended must not be acknowledged before SysMgr could speak
 * again.
 */
final class LeaseCheck {
  /** What SysMgr gives. It counts from the sending of a heartbeat that was answered. */
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private LeaseCheck() {}

  /** What was answered without a lease. */
  static List<String> violations(
      List<LogTail.Acknowledgement> acknowledgements, List<SoakTally.Silence> silences) {
    List<String> violations = new ArrayList<>();
    for (SoakTally.Silence silence : silences) {
      long overNanos = silence.beginNanos() + LEASE_NANOS;
      for (LogTail.Acknowledgement answer : acknowledgements) {
        if (silence.clients().contains(SoakClient.clientOf(answer.operation().number()))
            && answer.operation().kind().needsManager()
            && answer.begunNanos() - overNanos > 0
            && answer.doneNanos() - silence.endNanos() < 0) {
          violations.add(
              "answered without a lease, "
                  + TimeUnit.NANOSECONDS.toMillis(answer.doneNanos() - silence.beginNanos())
                  + " ms after SysMgr's last word: "
                  + answer.operation());
        }
      }
    }
    return violations;
  }
}
