package org.weft.metadata.scrub;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which volumes of one manager compare parity with data at the moment (P 6.8f). Each gets the same
 * part of the manager's rate, so that all together read no more than that. Thread-safe.
 */
public final class ScrubShares {
  private final Set<ParityScrub> reading = ConcurrentHashMap.newKeySet();

  /** A volume reads, or does not any more. */
  void reads(ParityScrub scrub, boolean isReading) {
    if (isReading) {
      reading.add(scrub);
    } else {
      reading.remove(scrub);
    }
  }

  /** How many parts the rate is divided into. */
  int count() {
    return Math.max(1, reading.size());
  }
}
