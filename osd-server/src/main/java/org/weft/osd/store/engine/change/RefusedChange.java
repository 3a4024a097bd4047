package org.weft.osd.store.engine.change;

import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.protocol.rpc.RpcException;

/** A mutation that was refused while it was prepared: it keeps its place among the others. */
final class RefusedChange extends SmallChange {
  private final RpcException why;

  RefusedChange(RpcException why) {
    this.why = why;
  }

  @Override
  public Staged stage(Transaction transaction) throws RpcException {
    throw why;
  }
}
