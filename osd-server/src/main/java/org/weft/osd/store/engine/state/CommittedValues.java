package org.weft.osd.store.engine.state;

import java.io.IOException;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.protocol.id.ObjectName;

/**
 * Committed values, from memory where they are known of the object that was looked up last. So
 * writing the same objects again and again asks the key-value store nothing. A commit may come
 * between two look-ups, as it may without the cache. So a change looks at the record's change
 * number again when it is staged. For one thread.
 */
public final class CommittedValues implements Values {
  private final StoreState store;
  private CachedObject seen;

  /** Of this store. */
  public CommittedValues(StoreState store) {
    this.store = store;
  }

  @Override
  public byte[] get(byte[] key) throws IOException {
    return store.values().get(key);
  }

  @Override
  public ObjectRecord object(ObjectName name) throws IOException {
    seen = store.cache().of(name, store.values()::get);
    return seen == null ? null : seen.record();
  }

  @Override
  public PendingRecords pending(ObjectRecord record) throws IOException {
    PendingRecords known = isSeen(record.handle()) ? seen.pending() : null;
    return known == null ? Values.super.pending(record) : known;
  }

  @Override
  public ExtentPage page(long handle, long number) throws IOException {
    ExtentPage known = isSeen(handle) ? seen.page(number) : null;
    return known == null ? Values.super.page(handle, number) : known;
  }

  private boolean isSeen(long handle) {
    return seen != null && seen.record().handle() == handle;
  }
}
