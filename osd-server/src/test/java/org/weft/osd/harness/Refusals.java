package org.weft.osd.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Expects calls to be refused. */
public final class Refusals {
  private Refusals() {}

  /** The refusal's text. */
  public static String refused(ErrorCode code, Executable call) {
    WeftException refusal = assertThrows(WeftException.class, call);
    assertEquals(code, refusal.code(), refusal.getMessage());
    return refusal.getMessage();
  }
}
