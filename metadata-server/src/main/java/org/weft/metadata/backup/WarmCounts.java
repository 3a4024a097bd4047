package org.weft.metadata.backup;

import java.util.EnumMap;
import java.util.Map;

/**
 * How it went with what a manager keeps warm, since it was started.
 *
 * @param copies that it writes now
 * @param warm of these
 * @param behind records that wait to be applied to warm states
 * @param redoRecords that a promotion would redo on the OSDs
 * @param takenWarm promotions with a warm state
 * @param takenCold promotions that read the journal
 * @param thrownAway warm states, by the reason
 */
public record WarmCounts(
    long copies,
    long warm,
    long behind,
    long redoRecords,
    long takenWarm,
    long takenCold,
    Map<WarmDoubt, Long> thrownAway) {
  public WarmCounts {
    Map<WarmDoubt, Long> all = new EnumMap<>(WarmDoubt.class);
    all.putAll(thrownAway);
    thrownAway = Map.copyOf(all);
  }
}
