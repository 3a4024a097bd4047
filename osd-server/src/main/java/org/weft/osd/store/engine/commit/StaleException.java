package org.weft.osd.store.engine.commit;

/** Another commit changed what a mutation was prepared on: it must be prepared again. */
public final class StaleException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Without a stack trace: it is caught nearby. */
  public StaleException() {
    super("prepared on something that has changed", null, false, false);
  }
}
