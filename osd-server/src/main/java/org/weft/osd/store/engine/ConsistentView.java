package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Several values of one object as of one commit, without a lock: the record's change number grows
 * with every commit that touches the object, so if it is the same before and after the other values
 * were looked up, they belong together. A reader that meets commit after commit lets the committer
 * look for it, between two commits.
 */
final class ConsistentView {
  private static final int ATTEMPTS = 8;

  private final KeyValueStore store;
  private final Committer committer;

  ConsistentView(KeyValueStore store, Committer committer) {
    this.store = store;
    this.committer = committer;
  }

  /** Looks something up that belongs to the record. */
  @FunctionalInterface
  interface LookUp<T> {
    T of(Values values, ObjectRecord record) throws IOException;
  }

  /** A record and what belongs to it. */
  record View<T>(ObjectRecord record, T found) {}

  /** Null if there is no object. */
  <T> View<T> of(ObjectName name, LookUp<T> lookUp) throws IOException {
    Values values = store::get;
    ObjectRecord record = values.object(name);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (record == null) {
        return null;
      }
      T found = lookUp.of(values, record);
      ObjectRecord after = values.object(name);
      if (after != null && after.handle() == record.handle() && after.change() == record.change()) {
        return new View<>(record, found);
      }
      record = after;
    }
    return betweenCommits(name, lookUp);
  }

  private <T> View<T> betweenCommits(ObjectName name, LookUp<T> lookUp) throws IOException {
    Inspection<T> inspection = new Inspection<>(name, lookUp);
    Unit unit = new Unit(List.of(), false);
    unit.changes().add(inspection);
    committer.submit(unit);
    try {
      RpcException refusal = unit.done().join().get(0).failure();
      if (refusal != null) {
        throw refusal;
      }
    } catch (CompletionException e) {
      throw RpcException.of(e);
    }
    return inspection.view;
  }

  /** A change that changes nothing. */
  private static final class Inspection<T> extends SmallChange {
    private final ObjectName name;
    private final LookUp<T> lookUp;
    private View<T> view;

    Inspection(ObjectName name, LookUp<T> lookUp) {
      this.name = name;
      this.lookUp = lookUp;
    }

    @Override
    public Staged stage(Transaction transaction) throws IOException {
      ObjectRecord record = transaction.object(name);
      if (record != null) {
        view = new View<>(record, lookUp.of(transaction, record));
      }
      return Staged.DONE;
    }
  }
}
