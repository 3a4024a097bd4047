package org.weft.recovery.resolve;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Ends an attempt to resolve: a component has to be marked missing first (P 5.8). */
final class ComponentLost extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int component;

  ComponentLost(int component, String why) {
    super(why);
    this.component = component;
  }

  int component() {
    return component;
  }

  /** True for refusals by which an OSD says that a component cannot be relied on. */
  static boolean isSaidBy(WeftException refusal) {
    return refusal.code().isOfMedium() || refusal.code() == ErrorCode.NO_SUCH_OBJECT;
  }
}
