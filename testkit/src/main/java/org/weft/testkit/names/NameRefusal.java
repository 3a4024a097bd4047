package org.weft.testkit.names;

import org.weft.protocol.error.ErrorCode;

/** The model refuses an operation. */
public final class NameRefusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** A refusal with that code, without a stack. */
  public NameRefusal(ErrorCode code) {
    super(code.name(), null, false, false);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  /** Refuses unless it holds. */
  public static void require(boolean holds, ErrorCode otherwise) throws NameRefusal {
    if (!holds) {
      throw new NameRefusal(otherwise);
    }
  }
}
