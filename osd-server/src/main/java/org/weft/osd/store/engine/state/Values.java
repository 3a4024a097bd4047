package org.weft.osd.store.engine.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.ObjectName;

/** Looks up stored values: as committed, or with a commit in the making. */
@FunctionalInterface
public interface Values {
  /** The value, or null. */
  byte[] get(byte[] key) throws IOException;

  /** The object's record, or null. */
  default ObjectRecord object(ObjectName name) throws IOException {
    byte[] value = get(StoreKeys.object(name));
    return value == null ? null : ObjectRecordCodec.decode(value);
  }

  /** The object's pending list. */
  default PendingRecords pending(ObjectRecord record) throws IOException {
    byte[] value = record.hasPending() ? get(StoreKeys.pending(record.handle())) : null;
    return value == null ? PendingRecords.NONE : PendingCodec.decode(value);
  }

  /** A page of extents; empty if nothing is stored of it. */
  default ExtentPage page(long handle, long number) throws IOException {
    byte[] value = get(StoreKeys.extents(handle, number));
    return value == null ? ExtentPage.empty(number) : ExtentPageCodec.decode(number, value);
  }

  /** The pages that hold these blocks, ascending. */
  default List<ExtentPage> pages(long handle, long fromBlock, long toBlock) throws IOException {
    List<ExtentPage> pages = new ArrayList<>();
    if (fromBlock < toBlock) {
      for (long n = ExtentPage.of(fromBlock); n <= ExtentPage.of(toBlock - 1); n++) {
        pages.add(page(handle, n));
      }
    }
    return pages;
  }

  /** LSN of the object's tombstone; 0 if it has none. */
  default long tombstone(ObjectName name) throws IOException {
    byte[] value = get(StoreKeys.tombstone(name));
    return value == null ? 0 : NumberCodec.decode(value);
  }
}
