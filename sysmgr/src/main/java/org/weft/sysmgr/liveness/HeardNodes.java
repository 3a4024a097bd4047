package org.weft.sysmgr.liveness;

/** What a leader hears of nodes beside whether they live. Confined to the home executor. */
public record HeardNodes(HeardHistories histories, HeardClocks clocks) {
  public HeardNodes() {
    this(new HeardHistories(), new HeardClocks());
  }

  /** This member leads from now on. */
  public void begin(long nowNanos) {
    histories.begin(nowNanos);
    clocks.begin();
  }
}
