package org.weft.simulator.network;

/**
 * How often the network does harm, out of 10,000 frames.
 *
 * @param delayed frames that take up to {@code mostDelayMillis} longer, and all behind them on the
 *     same connection
 * @param connectionsLost frames whose connection breaks at both ends, before or after they arrive
 * @param late requests whose connection breaks at the caller at once, and which still arrive up to
 *     {@code mostDelayMillis} later
 * @param repliesLost replies whose connection breaks instead of delivering them
 */
public record NetworkFaults(
    int delayed, int connectionsLost, int late, int repliesLost, int mostDelayMillis) {
  public static final NetworkFaults NONE = new NetworkFaults(0, 0, 0, 0, 0);

  /** Some of everything. */
  public static final NetworkFaults USUAL = new NetworkFaults(100, 20, 20, 20, 3_000);

  /** The request is executed, and its client does not get the answer. */
  public static final NetworkFaults FORGETFUL = new NetworkFaults(50, 20, 20, 400, 500);

  /** What was given up, and repeated elsewhere, arrives when others have been there. */
  public static final NetworkFaults BELATED = new NetworkFaults(0, 10, 500, 20, 8_000);

  /**
   * Out of 10,000 frames; with more, one of twenty requests in a row fails in half of the tries.
   */
  private static final int MANY = 300;

  /**
   * An operation of many requests in a row seldom gets to its end. It fails at one of them, and
   * begins again later and later.
   */
  public boolean breaksConversations() {
    return connectionsLost + late + repliesLost > MANY;
  }

  /** Half as much of everything. */
  public NetworkFaults withHalf() {
    return new NetworkFaults(
        delayed / 2, connectionsLost / 2, late / 2, repliesLost / 2, mostDelayMillis);
  }
}
