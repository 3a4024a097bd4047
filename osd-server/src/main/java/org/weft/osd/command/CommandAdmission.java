package org.weft.osd.command;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much may be under way at once, in commands and in bytes of their bodies and payloads, over
 * all connections. Past it commands are refused, not queued. Thread-safe.
 */
final class CommandAdmission {
  private final long mostCommands;
  private final long mostBytes;
  private final AtomicLong commands = new AtomicLong();
  private final AtomicLong bytesUnderWay = new AtomicLong();

  CommandAdmission(long mostCommands, long mostBytes) {
    this.mostCommands = mostCommands;
    this.mostBytes = mostBytes;
  }

  /** False if the command would go past a bound; else it must leave once. */
  boolean enter(int bytes) {
    boolean fits = commands.incrementAndGet() <= mostCommands;
    fits &= bytesUnderWay.addAndGet(bytes) <= mostBytes;
    if (!fits) {
      leave(bytes);
    }
    return fits;
  }

  void leave(int bytes) {
    commands.decrementAndGet();
    bytesUnderWay.addAndGet(-bytes);
  }

  long commandsUnderWay() {
    return commands.get();
  }
}
