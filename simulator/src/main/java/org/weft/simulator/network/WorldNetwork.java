package org.weft.simulator.network;

import java.util.function.BiPredicate;

/** What connects the machines. Machines are named as their nodes are. */
public interface WorldNetwork {
  /** From now on, at random. */
  void faults(NetworkFaults faults);

  /** What {@link #faults(NetworkFaults)} said last, or nothing after {@link #heal}. */
  NetworkFaults faults();

  /**
   * Frames from one machine to another wait until the link is healed, or the connection is given
   * up: one direction only.
   */
  void cut(String from, String to);

  /** Both directions. */
  default void separate(String one, String other) {
    cut(one, other);
    cut(other, one);
  }

  /** All connections between two machines end, and both ends learn of it. */
  void breakConnections(String one, String other);

  /**
   * All connections between two machines carry nothing any more, and no end hears of that for half
   * a minute. So TCP waits out a cut that is already over. New ones are as usual.
   */
  void silenceConnections(String one, String other);

  /** Frames from one machine to another take that long. */
  void latency(String from, String to, long nanos);

  /**
   * Of every two requests from one machine to another, one loses its connection at the sender, and
   * arrives late all the same.
   */
  void belate(String from, String to);

  /** Ends cuts, latencies and random faults. */
  default void heal() {
    healBut((from, to) -> false);
  }

  /** As {@link #heal}, except for some cuts. */
  void healBut(BiPredicate<String, String> stays);
}
