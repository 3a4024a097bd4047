package org.weft.metadata.balance;

/**
 * How far a volume is with a round of the balance. Immutable.
 *
 * @param round its number; 0: there is none
 * @param done all of the sample has moved or was passed over, and is removed where it was
 * @param bytesPerSecond since the first component moved; 0 before
 * @param componentsSkipped were being written or not at rest, or no OSD could take them
 * @param waits why nothing moves now; empty: components move
 */
public record BalanceProgress(
    long round,
    boolean done,
    long componentsMoved,
    long bytesMoved,
    long bytesPerSecond,
    long componentsSkipped,
    String waits) {
  public static final BalanceProgress NONE = new BalanceProgress(0, false, 0, 0, 0, 0, "");
}
