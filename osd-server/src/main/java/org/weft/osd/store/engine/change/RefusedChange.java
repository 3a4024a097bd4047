package org.weft.osd.store.engine.change;

import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.protocol.error.WeftException;

/** A mutation that was refused while it was prepared: it keeps its place among the others. */
final class RefusedChange extends SmallChange {
  private final WeftException why;

  RefusedChange(WeftException why) {
    this.why = why;
  }

  @Override
  public Staged stage(Transaction transaction) throws WeftException {
    throw why;
  }
}
