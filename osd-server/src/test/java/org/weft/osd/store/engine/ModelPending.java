package org.weft.osd.store.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.protocol.error.ErrorCode;

/** The pending list of an object of the {@link StoreModel}. */
final class ModelPending {
  private static final int BLOCK = StoreModel.BLOCK;

  /** A write with what it took the place of, or the δ that was applied, by block. */
  record Entry(PendingWrite write, Map<Long, ModelItem.Block> old, Map<Long, byte[]> delta) {
    long first() {
      return write.offsetBytes() / BLOCK;
    }

    long end() {
      return write.lengthBytes() == 0
          ? first()
          : (write.offsetBytes() + write.lengthBytes() + BLOCK - 1) / BLOCK;
    }
  }

  // By grant, then by first sequence.
  private final SortedMap<Long, SortedMap<Long, Entry>> entries = new TreeMap<>();

  List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    entries.values().forEach(grant -> all.addAll(grant.values()));
    return all;
  }

  List<PendingWrite> writes() {
    return all().stream().map(Entry::write).toList();
  }

  void addAll(ModelPending other) {
    other.all().forEach(this::add);
  }

  void add(PendingWrite write, Map<Long, ModelItem.Block> old, Map<Long, byte[]> delta) {
    add(new Entry(write, old, delta));
  }

  private void add(Entry entry) {
    entries
        .computeIfAbsent(entry.write().grant(), grant -> new TreeMap<>())
        .put(entry.write().firstSequence(), entry);
  }

  void remove(Entry entry) {
    entries.get(entry.write().grant()).remove(entry.write().firstSequence());
  }

  /** Null if there is none. */
  Entry of(long grant, long sequence) {
    for (Entry entry : all()) {
      if (entry.write().grant() == grant
          && entry.write().firstSequence() <= sequence
          && sequence <= entry.write().lastSequence()) {
        return entry;
      }
    }
    return null;
  }

  List<Entry> overlapping(long first, long end) {
    return all().stream()
        .filter(entry -> Math.max(entry.first(), first) < Math.min(entry.end(), end))
        .toList();
  }

  void cut(long block, long grant, long sequence) {
    for (Entry entry : overlapping(block, Long.MAX_VALUE)) {
      PendingWrite write = entry.write();
      if (write.grant() > grant || (write.grant() == grant && write.lastSequence() > sequence)) {
        continue;
      }
      remove(entry);
      if (entry.first() < block) {
        SortedMap<Long, ModelItem.Block> old = new TreeMap<>(entry.old());
        old.tailMap(block).clear();
        SortedMap<Long, byte[]> delta = new TreeMap<>(entry.delta());
        delta.tailMap(block).clear();
        add(write.before(block * BLOCK), old, delta);
      }
    }
  }

  ErrorCode abort(ModelItem item, long grant, long first, int count) {
    long last = first + count - 1;
    List<Integer> participants = List.of();
    List<Entry> found = new ArrayList<>();
    for (Entry entry : all()) {
      PendingWrite write = entry.write();
      if (write.grant() == grant
          && write.firstSequence() <= last
          && first <= write.lastSequence()) {
        if (write.firstSequence() < first
            || write.lastSequence() > last
            || (write.kind() == PendingKind.XOR_DELTA && count > 1)) {
          return ErrorCode.INVALID_ARGUMENT;
        }
        found.add(entry);
      }
    }
    for (Entry entry : found) {
      if (entry.write().kind() != PendingKind.ABORTED) {
        participants = entry.write().participants();
        item.undo(entry);
      } else if (entry.write().sequenceCount() == count) {
        return null;
      }
      remove(entry);
    }
    add(
        new PendingWrite(grant, first, count, PendingKind.ABORTED, participants, 0, 0, 0, 0),
        Map.of(),
        Map.of());
    return null;
  }

  long keptBlocks() {
    return all().stream().mapToLong(entry -> entry.old().size() + entry.delta().size()).sum();
  }
}
