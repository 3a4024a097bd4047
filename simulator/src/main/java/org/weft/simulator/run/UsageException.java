package org.weft.simulator.run;

/** A command line that cannot be understood; the message says why. */
final class UsageException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
