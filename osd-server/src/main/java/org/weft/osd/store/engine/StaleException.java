package org.weft.osd.store.engine;

/** Another commit changed what a mutation was prepared on: it must be prepared again. */
final class StaleException extends Exception {
  private static final long serialVersionUID = 1L;

  StaleException() {
    super("prepared on something that has changed", null, false, false);
  }
}
