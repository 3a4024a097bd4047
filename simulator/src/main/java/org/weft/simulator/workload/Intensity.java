package org.weft.simulator.workload;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What may go wrong. */
public enum Intensity {
  /** Nothing: whatever fails is a violation. */
  NONE,
  /** Processes die and are stopped for a while. */
  PROCESSES,
  /** Frames are lost, late, in vain; machines cannot reach each other. */
  NETWORK,
  /** Machines lose power, and what they had not synced. */
  POWER,
  /** Disks are lost, rot, are full, slow, or fail. */
  DISKS,
  /** All of it. */
  EVERYTHING;

  public boolean has(Intensity one) {
    return this == one || this == EVERYTHING;
  }

  /** As users write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static List<String> words() {
    return Arrays.stream(values()).map(Intensity::word).toList();
  }
}
