package org.weft.it.simulation.world;

/** A violation that nothing excuses, however much was lost. */
public final class Alarm extends Violation {
  private static final long serialVersionUID = 1L;

  Alarm(String what) {
    super(what);
  }
}
