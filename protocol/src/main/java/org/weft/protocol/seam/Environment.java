package org.weft.protocol.seam;

import java.util.random.RandomGenerator;

/**
 * The clock, timers, randomness, transport and boot identity that a daemon or a client is given.
 * The random generator is thread-safe, and in a daemon cryptographically strong: keys and nonces
 * are drawn from it.
 */
public record Environment(
    Clock clock,
    Ticker ticker,
    Scheduler scheduler,
    RandomGenerator random,
    Transport transport,
    BootIdentity bootIdentity) {
  /** The same world by another wall clock. */
  public Environment withClock(Clock other) {
    return new Environment(other, ticker, scheduler, random, transport, bootIdentity);
  }
}
