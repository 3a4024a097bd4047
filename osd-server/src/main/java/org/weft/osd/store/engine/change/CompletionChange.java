package org.weft.osd.store.engine.change;

import java.io.IOException;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.FileLimits;

/** Notes up to where a grant's writes are complete (P 5.4). */
final class CompletionChange extends SmallChange {
  private final WriteCompletion completion;

  CompletionChange(WriteCompletion completion) throws WeftException {
    FileLimits.requireFileLength("a file length", completion.eofBytes());
    this.completion = completion;
  }

  /** What is complete is undone nowhere any more: a caller that relies on it needs the bytes. */
  @Override
  public boolean restsOnOthers() {
    return true;
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    ObjectName name = completion.name();
    Authority authority = completion.authority();
    MutationAdmission.fence(transaction, name.partition(), authority);
    ObjectRecord record = MutationAdmission.requireObject(transaction.object(name), name);
    MutationAdmission.requireVersion(record, name, authority);
    ObjectState state = ObjectState.of(transaction, name, record);
    state.raiseFloor(authority.floor());
    state.complete(authority.grant(), completion.completeUpTo());
    if (completion.eofBytes() > 0) {
      state.change(
          state.record().established(completion.truncationNumber(), completion.eofBytes()));
    }
    byte[] givenBack = StoreKeys.givenBack(record.handle());
    boolean forgets = completion.forgetGivenBack() && transaction.get(givenBack) != null;
    if (forgets) {
      transaction.remove(givenBack);
    }
    if (!forgets && state.record().equals(record)) {
      return Staged.ANSWERED;
    }
    AttributeChange.requireRoom(state.record(), name);
    state.finish();
    return Staged.DONE;
  }
}
