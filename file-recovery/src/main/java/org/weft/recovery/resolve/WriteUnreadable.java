package org.weft.recovery.resolve;

import org.weft.recovery.plan.PendingId;

/**
 * Ends a round of a resolve. A write that was to be kept cannot be carried on, since too many OSDs
 * say that its sources are damaged. It has to be decided anew (P 5.5).
 */
final class WriteUnreadable extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient PendingId id;

  WriteUnreadable(PendingId id, String why) {
    super(why);
    this.id = id;
  }

  PendingId id() {
    return id;
  }
}
