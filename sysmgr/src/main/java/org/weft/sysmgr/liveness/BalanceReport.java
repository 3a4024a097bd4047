package org.weft.sysmgr.liveness;

import org.weft.protocol.wire.BalanceProgress;

/**
 * How far a manager is with a round of the balance, for one volume.
 *
 * @param done all of the sample has moved or was passed over
 * @param waits why nothing moves now; empty: it does
 */
public record BalanceReport(
    long round,
    boolean done,
    long componentsMoved,
    long bytesMoved,
    long bytesPerSecond,
    long componentsSkipped,
    String waits) {
  /**
   * @param waits as it may be shown
   */
  public static BalanceReport of(BalanceProgress said, String waits) {
    return new BalanceReport(
        said.getRound(),
        said.getDone(),
        said.getComponentsMoved(),
        said.getBytesMoved(),
        said.getBytesPerSecond(),
        said.getComponentsSkipped(),
        waits);
  }

  public BalanceProgress toMessage() {
    return BalanceProgress.newBuilder()
        .setRound(round)
        .setDone(done)
        .setComponentsMoved(componentsMoved)
        .setBytesMoved(bytesMoved)
        .setBytesPerSecond(bytesPerSecond)
        .setComponentsSkipped(componentsSkipped)
        .setWaits(waits)
        .build();
  }
}
