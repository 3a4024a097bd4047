package org.weft.osd.store.engine.change;

import java.io.IOException;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.StoreKeys;

/** Frees some more of what a removed object held. */
final class ReapChange extends SmallChange {
  private final long handle;

  ReapChange(long handle) {
    this.handle = handle;
  }

  /** {@code existed} is true while there is more to free. */
  @Override
  public Staged stage(Transaction transaction) throws IOException {
    boolean finished = RemovalChange.reap(transaction, handle);
    if (finished) {
      transaction.remove(StoreKeys.doomed(handle));
    }
    return Staged.now(new MutationResult.Ended(!finished));
  }
}
