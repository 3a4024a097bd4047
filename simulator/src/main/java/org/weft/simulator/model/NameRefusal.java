package org.weft.simulator.model;

import org.weft.protocol.error.ErrorCode;

/** The model refuses an operation. */
public final class NameRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  NameRefusal(ErrorCode code) {
    super(code.name(), null, false, false);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  static void require(boolean holds, ErrorCode otherwise) throws NameRefusal {
    if (!holds) {
      throw new NameRefusal(otherwise);
    }
  }
}
