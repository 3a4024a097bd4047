package org.weft.osd.store.engine.change;

import java.io.IOException;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.mutation.VersionRaise;

/** Raises an object's version (P 5.7). */
final class VersionChange extends SmallChange {
  private final VersionRaise raise;

  VersionChange(VersionRaise raise) {
    this.raise = raise;
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    MutationAdmission.fence(transaction, raise.name().partition(), raise.authority());
    ObjectRecord record =
        MutationAdmission.requireObject(transaction.object(raise.name()), raise.name());
    MutationAdmission.requireVersion(record, raise.name(), raise.authority());
    ObjectRecord raised = record.atVersion(raise.version());
    if (raised.version() == record.version()) {
      return Staged.before(new MutationResult.Raised(record.version()));
    }
    transaction.putObject(raise.name(), raised);
    return Staged.now(new MutationResult.Raised(raised.version()));
  }
}
