package org.weft.osd.store.engine.change;

import java.io.IOException;
import java.util.OptionalLong;
import org.weft.osd.store.MutationResult;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.CompletionMarks;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.CompletionMark;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/** Stores attribute pages, each if it is newer (P 6.3). */
final class AttributeChange extends SmallChange {
  private final AttributeUpdate update;
  private final long newHandle;

  AttributeChange(AttributeUpdate update, StoreState store) throws WeftException {
    for (AttributeValue page : update.pages()) {
      requireFits(page);
    }
    this.update = update;
    this.newHandle = update.create().isPresent() ? store.handles().getAndIncrement() : 0;
  }

  static void requireFits(AttributeValue page) throws WeftException {
    if (page.value().length > AttributeValue.MAX_BYTES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "an attribute page has at most "
              + AttributeValue.MAX_BYTES
              + " bytes, got "
              + page.value().length);
    }
  }

  @Override
  public Staged stage(Transaction transaction) throws IOException {
    ObjectName name = update.name();
    PartitionId id = name.partition();
    MutationAdmission.fence(transaction, id, update.authority());
    ObjectRecord record = transaction.object(name);
    boolean isNew = record == null;
    if (isNew) {
      record = create(transaction);
    } else {
      MutationAdmission.requireVersion(record, name, update.authority());
    }
    int skipped = 0;
    for (AttributeValue page : update.pages()) {
      if (isNew || isNewer(transaction, record, page)) {
        record = store(transaction, record, page);
      } else {
        skipped++;
      }
    }
    ObjectState state = ObjectState.of(transaction, name, record);
    state.raiseFloor(update.floor());
    for (CompletionMark mark : update.complete()) {
      state.complete(mark.grant(), mark.upTo());
      requireRoom(state.record(), name);
    }
    state.finish();
    CreateFloor.raise(transaction, id, update.createFloor(), update.authority());
    return Staged.now(new MutationResult.Skipped(skipped));
  }

  private ObjectRecord create(Transaction transaction) throws IOException {
    if (update.create().isEmpty()) {
      return MutationAdmission.requireObject(null, update.name());
    }
    long newest = 0;
    for (AttributeValue page : update.pages()) {
      newest = Long.compareUnsigned(page.lsn(), newest) > 0 ? page.lsn() : newest;
    }
    MutationAdmission.requireCreation(
        transaction.partition(update.name().partition()),
        transaction,
        update.name(),
        update.authority(),
        newest);
    transaction.addObjects(1);
    return ObjectRecord.created(newHandle, update.create().get());
  }

  private static boolean isNewer(Transaction transaction, ObjectRecord record, AttributeValue page)
      throws IOException {
    OptionalLong old = transaction.attributeLsn(record.handle(), page.page());
    return old.isEmpty() || Long.compareUnsigned(old.getAsLong(), page.lsn()) < 0;
  }

  private static ObjectRecord store(
      Transaction transaction, ObjectRecord record, AttributeValue page) {
    transaction.putAttribute(record.handle(), page);
    return record.withPage(page.page());
  }

  /** Stores a page where there is none yet (P 6.6); gives the object's record as of then. */
  static ObjectRecord storeInitial(
      Transaction transaction, ObjectRecord record, AttributeValue page) throws IOException {
    return transaction.attributeLsn(record.handle(), page.page()).isEmpty()
        ? store(transaction, record, page)
        : record;
  }

  static void requireRoom(ObjectRecord record, ObjectName name) throws WeftException {
    if (record.completions().marks().size() > CompletionMarks.MAX_GRANTS) {
      throw new WeftException(
          ErrorCode.BUSY,
          "object "
              + name
              + " has more than "
              + CompletionMarks.MAX_GRANTS
              + " live grants; wait until some are closed");
    }
  }
}
