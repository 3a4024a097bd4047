package org.weft.simulator.base;

/** Something that must never happen has happened; the message says what. */
public class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  public Violation(String what) {
    super(what);
  }

  public Violation(String what, Throwable cause) {
    super(what, cause);
  }
}
