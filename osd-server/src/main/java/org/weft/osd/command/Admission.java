package org.weft.osd.command;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much may be under way at once, in commands and in bytes of their payloads, over all
 * connections. Past it commands are refused, not queued. Thread-safe.
 */
final class Admission {
  private final long mostCommands;
  private final long mostPayloadBytes;
  private final AtomicLong commands = new AtomicLong();
  private final AtomicLong payloadBytes = new AtomicLong();

  Admission(long mostCommands, long mostPayloadBytes) {
    this.mostCommands = mostCommands;
    this.mostPayloadBytes = mostPayloadBytes;
  }

  /** False if the command would go past a bound; else it must leave once. */
  boolean enter(int bytes) {
    boolean fits = commands.incrementAndGet() <= mostCommands;
    fits &= payloadBytes.addAndGet(bytes) <= mostPayloadBytes;
    if (!fits) {
      leave(bytes);
    }
    return fits;
  }

  void leave(int bytes) {
    commands.decrementAndGet();
    payloadBytes.addAndGet(-bytes);
  }

  long commandsUnderWay() {
    return commands.get();
  }
}
