package org.weft.osd.store.engine;

import java.io.IOException;
import org.weft.protocol.seam.KeyValueStore;

/** Tables that hand everything on to others; what is between the two overrides something. */
class TablesBetween implements KeyValueStore {
  private final KeyValueStore others;

  TablesBetween(KeyValueStore others) {
    this.others = others;
  }

  @Override
  public byte[] get(byte[] key) throws IOException {
    return others.get(key);
  }

  @Override
  public void write(Batch batch, boolean sync) throws IOException {
    others.write(batch, sync);
  }

  @Override
  public long lastChange() {
    return others.lastChange();
  }

  @Override
  public void sync() throws IOException {
    others.sync();
  }

  @Override
  public Cursor scan(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    return others.scan(fromInclusive, toExclusive);
  }

  @Override
  public byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    return others.lastKey(fromInclusive, toExclusive);
  }

  @Override
  public void close() throws IOException {
    others.close();
  }
}
