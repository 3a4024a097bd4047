package org.weft.hadoop;

import java.util.NoSuchElementException;
import org.apache.hadoop.fs.RemoteIterator;

/** A listing of one entry: what a path that is no directory gives. */
final class Single<T> implements RemoteIterator<T> {
  private T entry;

  private Single(T entry) {
    this.entry = entry;
  }

  static <T> Single<T> of(T entry) {
    return new Single<>(entry);
  }

  @Override
  public boolean hasNext() {
    return entry != null;
  }

  @Override
  public T next() {
    if (entry == null) {
      throw new NoSuchElementException("the listing has ended");
    }
    T current = entry;
    entry = null;
    return current;
  }
}
