package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PartitionCodec;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;

/**
 * One commit in the making: the stored values with the changes so far over them, and what has to
 * happen in memory once the batch is written. Used by the committer alone.
 */
final class Transaction implements Values {
  private final Parts parts;
  private final KeyValueStore store;
  private final PartitionTable table;
  private final long number;
  private final long checkpoint;
  // A null value: the key is removed.
  private final NavigableMap<byte[], byte[]> changes = new TreeMap<>(Arrays::compareUnsigned);
  // A null value: the partition is removed.
  private final NavigableMap<PartitionId, PartitionState> partitions = new TreeMap<>();
  private final NavigableMap<PartitionId, Long> tombstonesFrom = new TreeMap<>();
  private final SortedMap<Long, Changed> lists = new TreeMap<>();
  private final List<BlockRange> freed = new ArrayList<>();
  private final List<byte[]> replaced = new ArrayList<>();
  private final List<Long> doomed = new ArrayList<>();
  private final Deque<Runnable> undo = new ArrayDeque<>();
  private long objects;
  private long blocks;

  /**
   * @param checkpoint the one that is pending: it covers the commit, or the one after it does
   */
  Transaction(Parts parts, long number, long checkpoint) {
    this.parts = parts;
    this.store = parts.values();
    this.table = parts.partitions();
    this.number = number;
    this.checkpoint = checkpoint;
  }

  /** A pending list as of a change of its object. */
  private record Changed(long change, PendingRecords list) {}

  /** A stored key and its value. */
  record Entry(byte[] key, byte[] value) {}

  @Override
  public byte[] get(byte[] key) throws IOException {
    return changes.containsKey(key) ? changes.get(key) : store.get(key);
  }

  void put(byte[] key, byte[] value) {
    change(key, value);
  }

  void remove(byte[] key) {
    change(key, null);
  }

  /** The first entries of a range, with the changes so far. */
  List<Entry> scan(byte[] fromInclusive, byte[] toExclusive, int limit) throws IOException {
    NavigableMap<byte[], byte[]> over = changes.subMap(fromInclusive, true, toExclusive, false);
    NavigableMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
    try (KeyValueStore.Cursor cursor = store.scan(fromInclusive, toExclusive)) {
      while (found.size() < limit && cursor.next()) {
        if (!over.containsKey(cursor.key())) {
          found.put(cursor.key(), cursor.value());
        }
      }
    }
    over.forEach(
        (key, value) -> {
          if (value != null) {
            found.put(key, value);
          }
        });
    List<Entry> entries = new ArrayList<>();
    found.forEach(
        (key, value) -> {
          if (entries.size() < limit) {
            entries.add(new Entry(key, value));
          }
        });
    return entries;
  }

  /** Null if there is none. */
  PartitionState partition(PartitionId id) {
    return partitions.containsKey(id) ? partitions.get(id) : table.get(id);
  }

  void putPartition(PartitionState state) {
    changePartition(state.id(), state);
    put(StoreKeys.partition(state.id()), PartitionCodec.encode(state));
  }

  void removePartition(PartitionId id) {
    changePartition(id, null);
    remove(StoreKeys.partition(id));
  }

  /** As {@link PartitionTable#tombstonesFrom}, with the changes so far. */
  long tombstonesFrom(PartitionId id) {
    Long changed = tombstonesFrom.get(id);
    return changed == null ? table.tombstonesFrom(id) : changed;
  }

  /** From now on no tombstone of the partition has a smaller LSN. */
  void tombstonesFrom(PartitionId id, long lsn) {
    Long before = tombstonesFrom.put(id, lsn);
    undo.push(
        () -> {
          if (before == null) {
            tombstonesFrom.remove(id);
          } else {
            tombstonesFrom.put(id, before);
          }
        });
  }

  private void changePartition(PartitionId id, PartitionState state) {
    boolean had = partitions.containsKey(id);
    PartitionState before = partitions.put(id, state);
    undo.push(
        () -> {
          if (had) {
            partitions.put(id, before);
          } else {
            partitions.remove(id);
          }
        });
  }

  /** Stores the record as changed once more. */
  void putObject(ObjectName name, ObjectRecord record) {
    put(StoreKeys.object(name), ObjectRecordCodec.encode(record.changed()));
  }

  @Override
  public PendingRecords pending(ObjectRecord record) throws IOException {
    if (changes.containsKey(StoreKeys.pending(record.handle()))) {
      return Values.super.pending(record);
    }
    return parts.pending(record);
  }

  /** Stores the record as changed once more, and its pending list, changed or not. */
  void putObject(ObjectName name, ObjectRecord record, PendingRecords list) {
    putObject(name, record);
    long handle = record.handle();
    Changed next = new Changed(record.changed().change(), list);
    Changed before = lists.put(handle, next);
    undo.push(
        () -> {
          if (before == null) {
            lists.remove(handle);
          } else {
            lists.put(handle, before);
          }
        });
  }

  void addObjects(long delta) {
    objects += delta;
    undo.push(() -> objects -= delta);
  }

  void putPage(long handle, ExtentPage page) {
    put(StoreKeys.extents(handle, page.number()), ExtentPageCodec.encode(page));
  }

  /** An extent that leads to blocks which nothing led to before. */
  void use(Extent extent) {
    blocks += extent.blockCount();
    undo.push(() -> blocks -= extent.blockCount());
  }

  /** Lets go of an extent's blocks, once the commit is beyond taking back. */
  void free(Extent extent) {
    freed.add(new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()));
    blocks -= extent.blockCount();
    undo.push(
        () -> {
          freed.remove(freed.size() - 1);
          blocks += extent.blockCount();
        });
  }

  /** Keeps what a page loses, in case that a power loss takes the new bytes but not this commit. */
  void keepReplaced(long handle, long page, List<Extent> lost) throws IOException {
    byte[] key = StoreKeys.replaced(number, handle, page);
    byte[] earlier = changes.get(key);
    if (earlier == null) {
      replaced.add(key);
      undo.push(() -> replaced.remove(replaced.size() - 1));
      put(key, ExtentPageCodec.encode(new ExtentPage(page, lost)));
      return;
    }
    // Overwritten twice in one commit: what was there before the first time counts, unless that was
    // let go: then what came after.
    ExtentPage kept = new ExtentPage(page, lost);
    for (Extent extent : ExtentPageCodec.decode(page, earlier).extents()) {
      List<Extent> since =
          extent.isCut() ? kept.within(extent.firstBlock(), extent.endBlock()) : List.of();
      kept = kept.with(extent);
      for (Extent part : since) {
        kept = kept.with(part.asLast());
      }
    }
    put(key, ExtentPageCodec.encode(kept));
  }

  /**
   * Notes which blocks of a page were let go: what older notes say of them must not come back if a
   * power loss takes what is written there next.
   */
  void keepCut(long handle, long page, List<Extent> released) throws IOException {
    byte[] key = StoreKeys.replaced(number, handle, page);
    byte[] earlier = changes.get(key);
    if (earlier == null) {
      replaced.add(key);
      undo.push(() -> replaced.remove(replaced.size() - 1));
    }
    ExtentPage kept =
        earlier == null ? ExtentPage.empty(page) : ExtentPageCodec.decode(page, earlier);
    for (Extent extent : released) {
      kept = kept.with(extent.asCut());
    }
    put(key, ExtentPageCodec.encode(kept));
  }

  /** Extents of this handle are to be freed piece by piece. */
  void doom(long handle) {
    put(StoreKeys.doomed(handle), new byte[0]);
    doomed.add(handle);
    undo.push(() -> doomed.remove(doomed.size() - 1));
  }

  /** A point to {@link #rollBack roll back} to. */
  int mark() {
    return undo.size();
  }

  void rollBack(int mark) {
    while (undo.size() > mark) {
      undo.pop().run();
    }
  }

  long checkpoint() {
    return checkpoint;
  }

  long number() {
    return number;
  }

  boolean isEmpty() {
    return changes.isEmpty();
  }

  KeyValueStore.Batch batch() {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    changes.forEach(
        (key, value) -> {
          if (value == null) {
            batch.remove(key);
          } else {
            batch.put(key, value);
          }
        });
    return batch;
  }

  List<BlockRange> freed() {
    return List.copyOf(freed);
  }

  List<byte[]> replacedKeys() {
    return List.copyOf(replaced);
  }

  List<Long> doomed() {
    return List.copyOf(doomed);
  }

  /** How many objects more there are. */
  long objects() {
    return objects;
  }

  /** How many blocks more extents lead to. */
  long blocks() {
    return blocks;
  }

  /** After the batch is written, before anybody is told and blocks that were let go are free. */
  void publish() {
    byte[] from = StoreKeys.prefix(StoreKeys.OBJECT);
    changes
        .subMap(from, true, StoreKeys.after(from), false)
        .keySet()
        .forEach(key -> parts.cache().changed(StoreKeys.nameOf(key)));
    lists.forEach((handle, next) -> parts.pendingLists().put(handle, next.change(), next.list()));
    tombstonesFrom.forEach(table::tombstonesFrom);
    partitions.forEach(
        (id, state) -> {
          if (state == null) {
            table.remove(id);
          } else {
            table.put(state);
          }
        });
  }

  private void change(byte[] key, byte[] value) {
    boolean had = changes.containsKey(key);
    byte[] before = changes.put(key, value);
    undo.push(
        () -> {
          if (had) {
            changes.put(key, before);
          } else {
            changes.remove(key);
          }
        });
  }
}
