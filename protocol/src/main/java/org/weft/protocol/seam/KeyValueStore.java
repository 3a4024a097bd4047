package org.weft.protocol.seam;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * An ordered map of byte strings with atomic batches. Keys compare as unsigned bytes. Thread-safe.
 *
 * <p>After {@link #write} without sync, a crash of the process loses nothing and a crash of the
 * machine keeps some prefix of the batches written. After {@link #sync}, or a write with sync,
 * every earlier batch is durable.
 */
public interface KeyValueStore extends AutoCloseable {
  /** The value, or null if there is none. */
  byte[] get(byte[] key) throws IOException;

  /** Applies the batch atomically. */
  void write(Batch batch, boolean sync) throws IOException;

  /**
   * False if so little space is left that only what gives space back, or cannot wait, should be
   * written. From memory, or nearly.
   */
  default boolean hasRoom() {
    return true;
  }

  /**
   * False while the disk is full and only batches are taken that are {@linkplain Batch#urgent()
   * urgent}. From memory, or nearly.
   */
  default boolean takesAll() {
    return true;
  }

  /** Makes everything written so far durable. */
  void sync() throws IOException;

  /** Entries with {@code fromInclusive <= key < toExclusive}, in key order, as of now. */
  Cursor scan(byte[] fromInclusive, byte[] toExclusive) throws IOException;

  /** The largest key with {@code fromInclusive <= key < toExclusive}, or null if there is none. */
  byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException;

  /**
   * Number of the last change that was written, from memory; 0 once it is closed. It grows with
   * each change. The next opening finds it again unless changes were lost. A copy of the store that
   * lacks changes has a smaller number.
   */
  long lastChange();

  /**
   * True if this opening found less than was written before, by whatever damage or loss of power:
   * what is here is as it once was. Openings say so until {@link #forgetLostEnd}.
   */
  default boolean hasLostEnd() {
    return false;
  }

  /** The store above has noted the lost end, durably: what is here now is all there is. */
  default void forgetLostEnd() throws IOException {}

  @Override
  void close() throws IOException;

  /** A position in a scan. Not thread-safe. */
  interface Cursor extends AutoCloseable {
    /** Moves to the next entry, the first on the first call; false at the end. */
    boolean next() throws IOException;

    byte[] key();

    byte[] value();

    @Override
    void close();
  }

  /** Changes that happen together; later ones win over earlier ones on the same key. */
  final class Batch {
    /** One change; a null value removes the key. */
    public record Change(byte[] key, byte[] value) {}

    private final List<Change> changes = new ArrayList<>();
    private boolean urgent;

    /** On a full disk it may use the space that is kept for what others wait for. */
    public Batch urgent() {
      urgent = true;
      return this;
    }

    public boolean isUrgent() {
      return urgent;
    }

    public Batch put(byte[] key, byte[] value) {
      changes.add(new Change(key, value));
      return this;
    }

    public Batch remove(byte[] key) {
      changes.add(new Change(key, null));
      return this;
    }

    public List<Change> changes() {
      return changes;
    }

    public boolean isEmpty() {
      return changes.isEmpty();
    }
  }
}
