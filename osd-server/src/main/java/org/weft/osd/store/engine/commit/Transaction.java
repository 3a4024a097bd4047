package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.state.CachedObject;
import org.weft.osd.store.engine.state.PartitionTable;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.AttributeCodec;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PartitionCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.value.AttributeValue;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;

/**
 * One commit in the making. It holds the stored values with the changes so far over them, and what
 * has to happen in memory once the batch is written. Used by the committer alone.
 */
public final class Transaction implements Values {
  private final StoreState store;
  private final KeyValueStore tables;
  private final PartitionTable table;
  private final long number;
  private final long checkpoint;
  private final NavigableMap<byte[], StagedValue> changes = new TreeMap<>(Arrays::compareUnsigned);
  // By handle: what memory had of objects that were looked up.
  private final Map<Long, CachedObject> seen = new HashMap<>();
  // A null value: the partition is removed.
  private final NavigableMap<PartitionId, PartitionState> partitions = new TreeMap<>();
  private final NavigableMap<PartitionId, Long> tombstonesFrom = new TreeMap<>();
  private final List<BlockRange> freed = new ArrayList<>();
  private final List<byte[]> untilCheckpoint = new ArrayList<>();
  private final List<Long> doomed = new ArrayList<>();
  private final Deque<Runnable> undo = new ArrayDeque<>();
  private long objects;
  private long blocks;
  private long copiedBytes;

  /**
   * @param checkpoint the one that is pending: it covers the commit, or the one after it does
   */
  Transaction(StoreState store, long number, long checkpoint) {
    this.store = store;
    this.tables = store.values();
    this.table = store.partitions();
    this.number = number;
    this.checkpoint = checkpoint;
  }

  /** A stored key and its value. */
  public record Entry(byte[] key, byte[] value) {}

  @Override
  public byte[] get(byte[] key) throws IOException {
    StagedValue changed = changes.get(key);
    return changed == null ? tables.get(key) : changed.encoded();
  }

  /** Stores a value. */
  void put(byte[] key, byte[] value) {
    change(key, new StagedValue(value, () -> value));
  }

  /** Stores that there is no value. */
  public void remove(byte[] key) {
    change(key, StagedValue.NONE);
  }

  /** The first entries of a range, with the changes so far. */
  public List<Entry> scan(byte[] fromInclusive, byte[] toExclusive, int limit) throws IOException {
    try (KeyValueStore.Cursor stored = tables.scan(fromInclusive, toExclusive)) {
      return StagedValue.merged(
          stored, changes.subMap(fromInclusive, true, toExclusive, false), limit);
    }
  }

  /** Null if there is none. */
  public PartitionState partition(PartitionId id) {
    return partitions.containsKey(id) ? partitions.get(id) : table.get(id);
  }

  /** Stores a partition. */
  public void putPartition(PartitionState state) {
    changePartition(state.id(), state);
    put(StoreKeys.partition(state.id()), PartitionCodec.encode(state));
  }

  /** Removes a partition. */
  public void removePartition(PartitionId id) {
    changePartition(id, null);
    remove(StoreKeys.partition(id));
  }

  /** As {@link PartitionTable#tombstonesFrom}, with the changes so far. */
  public long tombstonesFrom(PartitionId id) {
    Long changed = tombstonesFrom.get(id);
    return changed == null ? table.tombstonesFrom(id) : changed;
  }

  /** From now on no tombstone of the partition has a smaller LSN. */
  public void tombstonesFrom(PartitionId id, long lsn) {
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

  @Override
  public ObjectRecord object(ObjectName name) throws IOException {
    byte[] key = StoreKeys.object(name);
    StagedValue changed = changes.get(key);
    if (changed != null) {
      return (ObjectRecord) changed.decoded();
    }
    CachedObject known = store.cache().ifPresent(name);
    if (known != null) {
      seen.put(known.record().handle(), known);
      return known.record();
    }
    if (store.absent().hasNoRecord(name)) {
      return null;
    }
    byte[] value = tables.get(key);
    return value == null ? null : ObjectRecordCodec.decode(value);
  }

  @Override
  public long tombstone(ObjectName name) throws IOException {
    return store.absent().hasNoTombstone(name) ? 0 : Values.super.tombstone(name);
  }

  /** Stores the tombstone of an object. */
  public void putTombstone(ObjectName name, long lsn) throws IOException {
    store.absent().tombstone(name);
    put(StoreKeys.tombstone(name), NumberCodec.encode(lsn));
    put(StoreKeys.tombstoneByLsn(name.partition(), lsn, name.object().value()), new byte[0]);
  }

  /** Stores the record as changed once more. */
  public void putObject(ObjectName name, ObjectRecord record) throws IOException {
    if (record.change() == 0) {
      store.absent().record(name);
    }
    ObjectRecord next = record.changed();
    change(StoreKeys.object(name), new StagedValue(next, () -> ObjectRecordCodec.encode(next)));
  }

  @Override
  public PendingRecords pending(ObjectRecord record) throws IOException {
    if (!record.hasPending()) {
      return PendingRecords.NONE;
    }
    PendingRecords known = knownPending(record);
    return known == null ? Values.super.pending(record) : known;
  }

  /** Null if the store must be asked. */
  private PendingRecords knownPending(ObjectRecord record) {
    StagedValue changed = changes.get(StoreKeys.pending(record.handle()));
    if (changed != null) {
      return (PendingRecords) changed.decoded();
    }
    CachedObject known = seen.get(record.handle());
    return known == null ? null : known.pending();
  }

  /** Stores a pending list, or that there is none. */
  public void putPending(long handle, PendingRecords list) {
    change(
        StoreKeys.pending(handle),
        list.isEmpty() ? StagedValue.NONE : new StagedValue(list, () -> PendingCodec.encode(list)));
  }

  @Override
  public ExtentPage page(long handle, long number) throws IOException {
    StagedValue changed = changes.get(StoreKeys.extents(handle, number));
    if (changed != null) {
      return pageOf(number, changed);
    }
    CachedObject known = seen.get(handle);
    ExtentPage page = known == null ? null : known.page(number);
    return page == null ? Values.super.page(handle, number) : page;
  }

  private static ExtentPage pageOf(long number, StagedValue changed) {
    return changed == StagedValue.NONE ? ExtentPage.empty(number) : (ExtentPage) changed.decoded();
  }

  /** Stores an attribute page. */
  public void putAttribute(long handle, AttributeValue page) {
    change(
        StoreKeys.attribute(handle, page.page()),
        new StagedValue(page, () -> AttributeCodec.encode(page)));
  }

  /** LSN of an attribute page; empty if there is none. */
  public OptionalLong attributeLsn(long handle, int page) throws IOException {
    long lsn = storedLsn(handle, page);
    if (lsn == CachedObject.UNKNOWN_LSN && page == 0) {
      CachedObject known = seen.get(handle);
      lsn = known == null ? CachedObject.UNKNOWN_LSN : known.firstPageLsn();
    }
    if (lsn != CachedObject.UNKNOWN_LSN) {
      return OptionalLong.of(lsn);
    }
    byte[] stored = get(StoreKeys.attribute(handle, page));
    return stored == null
        ? OptionalLong.empty()
        : OptionalLong.of(AttributeCodec.decode(page, stored).lsn());
  }

  /** LSN of an attribute page that this commit stores, or {@link CachedObject#UNKNOWN_LSN}. */
  private long storedLsn(long handle, int page) {
    StagedValue changed = changes.get(StoreKeys.attribute(handle, page));
    return changed == null || changed == StagedValue.NONE
        ? CachedObject.UNKNOWN_LSN
        : ((AttributeValue) changed.decoded()).lsn();
  }

  /** There are so many objects more; fewer if negative. */
  public void addObjects(long delta) {
    objects += delta;
    undo.push(() -> objects -= delta);
  }

  /** Stores a page of extents. */
  public void putPage(long handle, ExtentPage page) {
    change(
        StoreKeys.extents(handle, page.number()),
        new StagedValue(page, () -> ExtentPageCodec.encode(page)));
  }

  /** An extent that leads to blocks which nothing led to before. */
  public void use(Extent extent) {
    blocks += extent.blockCount();
    undo.push(() -> blocks -= extent.blockCount());
  }

  /** Lets go of an extent's blocks, once the commit is beyond taking back. */
  public void free(Extent extent) {
    freed.add(new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()));
    blocks -= extent.blockCount();
    undo.push(
        () -> {
          freed.remove(freed.size() - 1);
          blocks += extent.blockCount();
        });
  }

  /** Keeps what a page loses, in case that a power loss takes the new bytes but not this commit. */
  public void keepReplaced(long handle, long page, List<Extent> lost) {
    byte[] key = StoreKeys.replaced(number, handle, page);
    ExtentPage earlier = noted(key);
    if (earlier == null) {
      note(key, new ExtentPage(page, lost));
      return;
    }
    // Overwritten twice in one commit: what was there before the first time counts, unless that was
    // let go: then what came after.
    ExtentPage kept = new ExtentPage(page, lost);
    for (Extent extent : earlier.extents()) {
      List<Extent> since =
          extent.isCut() ? kept.within(extent.firstBlock(), extent.endBlock()) : List.of();
      kept = kept.with(extent);
      for (Extent part : since) {
        kept = kept.with(part.asLast());
      }
    }
    note(key, kept);
  }

  /** What the commit has noted of the page so far, or null: no other commit notes under its key. */
  private ExtentPage noted(byte[] key) {
    StagedValue value = changes.get(key);
    return value == null ? null : (ExtentPage) value.decoded();
  }

  private void note(byte[] key, ExtentPage page) {
    if (!changes.containsKey(key)) {
      dropAfterCheckpoint(key);
    }
    change(key, new StagedValue(page, () -> ExtentPageCodec.encode(page)));
  }

  /** Keeps a copy of what these blocks were filled with until a checkpoint covers them. */
  public void keepCopy(BlockRange range, byte[] bytes) {
    byte[] key = StoreKeys.blockCopy(number, range.segment(), range.firstBlock());
    dropAfterCheckpoint(key);
    put(key, bytes);
    copiedBytes += bytes.length;
    undo.push(() -> copiedBytes -= bytes.length);
  }

  private void dropAfterCheckpoint(byte[] key) {
    untilCheckpoint.add(key);
    undo.push(() -> untilCheckpoint.remove(untilCheckpoint.size() - 1));
  }

  /**
   * Notes which blocks of a page were let go. What older notes say of them must not come back if a
   * power loss takes what is written there next.
   */
  public void keepCut(long handle, long page, List<Extent> released) {
    byte[] key = StoreKeys.replaced(number, handle, page);
    ExtentPage earlier = noted(key);
    ExtentPage kept = earlier == null ? ExtentPage.empty(page) : earlier;
    for (Extent extent : released) {
      kept = kept.with(extent.asCut());
    }
    note(key, kept);
  }

  /** False if a power loss gave no older bytes back to the object. */
  public boolean mayHaveGivenBack(long handle) {
    return store.givenBack().contains(handle);
  }

  /** Extents of this handle are to be freed piece by piece. */
  public void doom(long handle) {
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

  /** The pending checkpoint: it covers the commit, or the one after it does. */
  public long checkpoint() {
    return checkpoint;
  }

  /** Number of the commit. */
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
          if (value == StagedValue.NONE) {
            batch.remove(key);
          } else {
            batch.put(key, value.encoded());
          }
        });
    return batch;
  }

  List<BlockRange> freed() {
    return List.copyOf(freed);
  }

  /** What the next checkpoint that covers the commit removes. */
  List<byte[]> keysUntilCheckpoint() {
    return List.copyOf(untilCheckpoint);
  }

  /** How much of what the commit stores are copies of blocks. */
  public long copiedBytes() {
    return copiedBytes;
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

  /** After the batch is written, before callers are told and blocks that were let go are free. */
  void publish() {
    byte[] from = StoreKeys.prefix(StoreKeys.OBJECT);
    changes
        .subMap(from, true, StoreKeys.after(from), false)
        .forEach((key, value) -> keep(StoreKeys.nameOf(key), (ObjectRecord) value.decoded()));
    store.absent().trim();
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

  /**
   * Memory goes on to know what it knew, and what is being written: others write or read it next.
   */
  private void keep(ObjectName name, ObjectRecord record) {
    CachedObject before = record == null ? null : seen.get(record.handle());
    if (before == null && !isWorthKnowing(record)) {
      store.cache().changed(name);
      return;
    }
    Map<Long, ExtentPage> pages = new HashMap<>();
    byte[] from = StoreKeys.prefix(StoreKeys.EXTENTS, record.handle());
    changes
        .subMap(from, true, StoreKeys.after(from), false)
        .forEach(
            (key, value) -> {
              long page = StoreKeys.numberAt(key, 1);
              pages.put(page, pageOf(page, value));
            });
    store
        .cache()
        .changed(name, before, record, pages, knownPending(record), storedLsn(record.handle(), 0));
  }

  /** It is being written to, or its attributes change again and again. */
  private boolean isWorthKnowing(ObjectRecord record) {
    if (record == null || record.hasPending()) {
      return record != null;
    }
    boolean isNew = record.change() == 1;
    return !isNew
        && storedLsn(record.handle(), 0) != CachedObject.UNKNOWN_LSN
        && store.cache().isChangedAgain(record.handle());
  }

  private void change(byte[] key, StagedValue value) {
    StagedValue before = changes.put(key, value);
    undo.push(
        () -> {
          if (before == null) {
            changes.remove(key);
          } else {
            changes.put(key, before);
          }
        });
  }
}
