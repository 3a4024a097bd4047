package org.weft.simulator.base;

/** A violation that no loss excuses. */
public final class Alarm extends Violation {
  private static final long serialVersionUID = 1L;

  public Alarm(String what) {
    super(what);
  }
}
