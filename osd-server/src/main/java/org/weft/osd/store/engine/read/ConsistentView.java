package org.weft.osd.store.engine.read;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.weft.osd.store.engine.commit.CommitGroup;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.commit.SmallChange;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.CachedObject;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;

/**
 * Several values of one object as of one commit, without a lock. The record's change number grows
 * with every commit that touches the object. If it is the same after the other values were looked
 * up, they belong together. A reader that meets commit after commit lets the committer look for it,
 * between two commits. What was found is kept in the {@link
 * org.weft.osd.store.engine.state.ObjectCache}.
 */
final class ConsistentView {
  private static final int ATTEMPTS = 8;

  private final StoreState store;
  private final Committer committer;

  ConsistentView(StoreState store, Committer committer) {
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
    Values committed = store.values()::get;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      CachedObject object = store.cache().of(name, committed);
      if (object == null) {
        return null;
      }
      Look look = new Look(object, true);
      T found = lookUp.of(look, object.record());
      if (!look.asked()) {
        return new View<>(object.record(), found);
      }
      ObjectRecord after = committed.object(name);
      if (isSame(object.record(), after)) {
        look.keep(name);
        return new View<>(object.record(), found);
      }
    }
    return betweenCommits(name, lookUp);
  }

  /** As {@link #of}, out of memory alone: empty if the store beneath would have to be asked. */
  <T> Optional<View<T>> known(ObjectName name, LookUp<T> lookUp) throws IOException {
    CachedObject object = store.cache().ifPresent(name);
    if (object == null) {
      return Optional.empty();
    }
    try {
      T found = lookUp.of(new Look(object, false), object.record());
      return Optional.of(new View<>(object.record(), found));
    } catch (NotKnownException e) {
      return Optional.empty();
    }
  }

  /** It is not in memory. */
  private static final class NotKnownException extends IOException {
    private static final long serialVersionUID = 1;

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  private static boolean isSame(ObjectRecord before, ObjectRecord after) {
    return after != null && after.handle() == before.handle() && after.change() == before.change();
  }

  /** One looking up, in what is known of the object and in the store beneath. */
  private final class Look implements Values {
    private final CachedObject object;
    private final boolean mayAsk;
    private final Map<Long, ExtentPage> pages = new HashMap<>();
    private PendingRecords pending;
    private boolean asked;

    Look(CachedObject object, boolean mayAsk) {
      this.object = object;
      this.mayAsk = mayAsk;
    }

    /** The store was asked: what it said may be of a later commit. */
    boolean asked() {
      return asked;
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
      if (!mayAsk) {
        throw new NotKnownException();
      }
      asked = true;
      return store.values().get(key);
    }

    @Override
    public ExtentPage page(long handle, long number) throws IOException {
      ExtentPage known = object.page(number);
      if (known == null) {
        known = Values.super.page(handle, number);
        pages.put(number, known);
      }
      return known;
    }

    @Override
    public PendingRecords pending(ObjectRecord record) throws IOException {
      if (object.pending() != null) {
        return object.pending();
      }
      pending = Values.super.pending(record);
      return pending;
    }

    /** What the store said belongs to the object's record. */
    void keep(ObjectName name) {
      if (!pages.isEmpty() || pending != null) {
        object.add(pages, pending);
        store.cache().grew(name, object);
      }
    }
  }

  private <T> View<T> betweenCommits(ObjectName name, LookUp<T> lookUp) throws IOException {
    Inspection<T> inspection = new Inspection<>(name, lookUp);
    CommitGroup unit = new CommitGroup(List.of(), false);
    unit.changes().add(inspection);
    committer.submit(unit);
    try {
      WeftException refusal = unit.done().join().get(0).failure();
      if (refusal != null) {
        throw refusal;
      }
    } catch (CompletionException e) {
      throw WeftException.of(e);
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
