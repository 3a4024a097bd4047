package org.weft.osd.store;

import org.weft.protocol.error.WeftException;

/** What became of one mutation of a batch: exactly one of the two is null. */
public record MutationOutcome(Receipt receipt, WeftException failure) {
  public MutationOutcome {
    if ((receipt == null) == (failure == null)) {
      throw new IllegalArgumentException("an outcome is a receipt or a failure");
    }
  }
}
