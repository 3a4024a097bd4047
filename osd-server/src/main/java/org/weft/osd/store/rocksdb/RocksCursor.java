package org.weft.osd.store.rocksdb;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.weft.protocol.seam.KeyValueStore;

/** A scan by an iterator of RocksDB, which sees the store as it was when the scan began. */
final class RocksCursor implements KeyValueStore.Cursor {
  private final Slice end;
  private final ReadOptions options;
  private final RocksIterator iterator;
  private final byte[] from;
  private final Runnable closed;
  private final AtomicBoolean done = new AtomicBoolean();
  private boolean started;

  RocksCursor(RocksDB db, byte[] from, byte[] to, Runnable closed) {
    this.from = from;
    this.end = new Slice(to);
    this.options = new ReadOptions().setIterateUpperBound(end);
    this.iterator = db.newIterator(options);
    this.closed = closed;
  }

  @Override
  public boolean next() throws IOException {
    if (started) {
      iterator.next();
    } else {
      iterator.seek(from);
      started = true;
    }
    return isValid();
  }

  /** Moves to the last entry; false if there is none. */
  boolean last() throws IOException {
    started = true;
    iterator.seekToLast();
    return isValid() && Arrays.compareUnsigned(iterator.key(), from) >= 0;
  }

  private boolean isValid() throws IOException {
    if (iterator.isValid()) {
      return true;
    }
    try {
      iterator.status();
    } catch (RocksDBException e) {
      throw RocksKeyValueStore.failure("scanning", e);
    }
    return false;
  }

  @Override
  public byte[] key() {
    return iterator.key();
  }

  @Override
  public byte[] value() {
    return iterator.value();
  }

  @Override
  public void close() {
    if (!done.getAndSet(true)) {
      iterator.close();
      options.close();
      end.close();
      closed.run();
    }
  }
}
