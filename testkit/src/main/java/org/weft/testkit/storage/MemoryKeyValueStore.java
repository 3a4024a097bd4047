package org.weft.testkit.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.KeyValueStore;

/**
 * A key-value store in memory. Fault model: batches are atomic. The death of the process loses none
 * ({@link #afterProcessDeath}). A power loss keeps a prefix of the batches written since the last
 * sync, drawn at random ({@link #afterPowerLoss}). Operations fail where the {@link StorageFaults}
 * say; one that fails has changed nothing. Thread-safe.
 */
public final class MemoryKeyValueStore implements KeyValueStore {
  private final StorageFaults faults;
  private final NavigableMap<byte[], byte[]> live;
  private final NavigableMap<byte[], byte[]> durable;
  private final List<Batch> unsynced = new ArrayList<>();
  private boolean closed;
  private long changes;
  // Of a full disk: so many urgent batches can still be written; negative: it is not full.
  private long urgentLeft = -1;
  private Function<Boolean, IOException> noSpace = reserveUsedUp -> new IOException();

  public MemoryKeyValueStore(StorageFaults faults) {
    this(faults, emptyMap(), emptyMap());
  }

  private MemoryKeyValueStore(
      StorageFaults faults,
      NavigableMap<byte[], byte[]> live,
      NavigableMap<byte[], byte[]> durable) {
    this.faults = faults;
    this.live = live;
    this.durable = durable;
  }

  private static NavigableMap<byte[], byte[]> emptyMap() {
    return new TreeMap<>(Arrays::compareUnsigned);
  }

  /**
   * The disk is full from now on: only urgent batches are taken, so many of them.
   *
   * @param with what a batch fails with that is refused; told whether it was urgent
   */
  public synchronized void fill(long urgentBatches, Function<Boolean, IOException> with) {
    urgentLeft = urgentBatches;
    noSpace = with;
  }

  /** The disk is not full any more. */
  public synchronized void empty() {
    urgentLeft = -1;
  }

  @Override
  public synchronized boolean takesAll() {
    return urgentLeft < 0;
  }

  @Override
  public synchronized byte[] get(byte[] key) throws IOException {
    next(StorageFaults.Kind.KEY_READ);
    byte[] value = live.get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public synchronized void write(Batch batch, boolean sync) throws IOException {
    next(StorageFaults.Kind.KEY_WRITE);
    if (urgentLeft == 0 || urgentLeft > 0 && !batch.isUrgent()) {
      throw noSpace.apply(batch.isUrgent());
    }
    urgentLeft = urgentLeft < 0 ? urgentLeft : urgentLeft - 1;
    Batch copy = copyOf(batch);
    apply(copy, live);
    unsynced.add(copy);
    changes++;
    if (sync) {
      sync();
    }
  }

  @Override
  public synchronized void sync() throws IOException {
    next(StorageFaults.Kind.KEY_SYNC);
    unsynced.forEach(batch -> apply(batch, durable));
    unsynced.clear();
  }

  @Override
  public synchronized Cursor scan(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    next(StorageFaults.Kind.KEY_READ);
    List<Batch.Change> found = new ArrayList<>();
    if (Arrays.compareUnsigned(fromInclusive, toExclusive) < 0) {
      live.subMap(fromInclusive, true, toExclusive, false)
          .forEach((key, value) -> found.add(new Batch.Change(key.clone(), value.clone())));
    }
    return new ListCursor(found);
  }

  @Override
  public synchronized byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException {
    next(StorageFaults.Kind.KEY_READ);
    byte[] last = live.lowerKey(toExclusive);
    return last == null || Arrays.compareUnsigned(last, fromInclusive) < 0 ? null : last.clone();
  }

  @Override
  public synchronized long lastChange() {
    return changes;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  /** What a process that starts after this one died finds. */
  public synchronized MemoryKeyValueStore afterProcessDeath(StorageFaults next) {
    MemoryKeyValueStore survivor = new MemoryKeyValueStore(next, live, durable);
    survivor.unsynced.addAll(unsynced);
    survivor.changes = changes;
    survivor.urgentLeft = urgentLeft;
    survivor.noSpace = noSpace;
    closed = true;
    return survivor;
  }

  /** A copy of what a process sees now; this one goes on. */
  public synchronized MemoryKeyValueStore copy(StorageFaults next) {
    NavigableMap<byte[], byte[]> content = emptyMap();
    content.putAll(live);
    NavigableMap<byte[], byte[]> synced = emptyMap();
    synced.putAll(live);
    MemoryKeyValueStore copy = new MemoryKeyValueStore(next, content, synced);
    copy.changes = changes;
    return copy;
  }

  /** What a process finds after the machine lost power and came back. */
  public synchronized MemoryKeyValueStore afterPowerLoss(
      StorageFaults next, RandomGenerator random) {
    closed = true;
    int kept =
        switch (random.nextInt(4)) {
          case 0 -> 0;
          case 1 -> unsynced.size();
          default -> random.nextInt(unsynced.size() + 1);
        };
    unsynced.subList(0, kept).forEach(batch -> apply(batch, durable));
    NavigableMap<byte[], byte[]> copy = emptyMap();
    copy.putAll(durable);
    MemoryKeyValueStore survivor = new MemoryKeyValueStore(next, copy, durable);
    survivor.urgentLeft = urgentLeft;
    survivor.noSpace = noSpace;
    survivor.changes = changes - (unsynced.size() - kept);
    return survivor;
  }

  private void next(StorageFaults.Kind kind) throws IOException {
    if (closed) {
      throw new IOException("the key-value store is closed");
    }
    faults.next(kind, "");
  }

  private static Batch copyOf(Batch batch) {
    Batch copy = new Batch();
    for (Batch.Change change : batch.changes()) {
      if (change.value() == null) {
        copy.remove(change.key().clone());
      } else {
        copy.put(change.key().clone(), change.value().clone());
      }
    }
    return copy;
  }

  private static void apply(Batch batch, NavigableMap<byte[], byte[]> map) {
    for (Batch.Change change : batch.changes()) {
      if (change.value() == null) {
        map.remove(change.key());
      } else {
        map.put(change.key(), change.value());
      }
    }
  }

  /** A scan that was copied when it began. */
  private static final class ListCursor implements Cursor {
    private final List<Batch.Change> entries;
    private int place = -1;

    ListCursor(List<Batch.Change> entries) {
      this.entries = entries;
    }

    @Override
    public boolean next() {
      place = Math.min(place + 1, entries.size());
      return place < entries.size();
    }

    @Override
    public byte[] key() {
      return entries.get(place).key();
    }

    @Override
    public byte[] value() {
      return entries.get(place).value();
    }

    @Override
    public void close() {}
  }
}
