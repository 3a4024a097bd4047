package org.weft.metadata.serving;

/**
 * How far a volume is on this manager. It comes from starting to serving, and from either to ended,
 * which is for good.
 *
 * @param words for people: what it waits for, or why it ended
 */
record HostState(Phase phase, String words) {
  /** Requests are executed. */
  static final HostState SERVING = new HostState(Phase.SERVING, "serving");

  enum Phase {
    STARTING,
    SERVING,
    ENDED
  }

  /** On its way into service. */
  static HostState starting(String waitsFor) {
    return new HostState(Phase.STARTING, waitsFor);
  }

  /** Not served by this process any more. */
  static HostState ended(String why) {
    return new HostState(Phase.ENDED, why);
  }

  boolean isServing() {
    return phase == Phase.SERVING;
  }

  boolean isEnded() {
    return phase == Phase.ENDED;
  }
}
