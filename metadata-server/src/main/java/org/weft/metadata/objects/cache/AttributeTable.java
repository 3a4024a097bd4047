package org.weft.metadata.objects.cache;

import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Attribute pages in memory. Pages newer than the copies under a checkpoint are kept. The others
 * are bounded: the least recently used are {@linkplain PackedAttributes packed} first, and then
 * evicted. Single-threaded.
 */
final class AttributeTable {
  /**
   * Attributes of an object, or why there are none.
   *
   * @param attributes null if there are none
   * @param reason why there are none; empty if there are
   * @param silent OSDs that may have them, though no other OSD has
   * @param lsn of the record that changed them last
   */
  record Slot(Attributes attributes, String reason, SortedSet<OsdId> silent, Lsn lsn) {
    static Slot of(Attributes attributes, Lsn lsn) {
      return new Slot(attributes, "", Collections.emptySortedSet(), lsn);
    }

    /** What it counts for among the clean ones: long pages and wide maps count for several. */
    int weight() {
      if (attributes == null) {
        return 1;
      }
      int components = attributes.map().components().size();
      int more =
          attributes.extraBytes()
              + attributes.symlinkTarget().size()
              + Math.max(0, components - USUAL_COMPONENTS) * COMPONENT_BYTES;
      return 1 + more / WEIGHT_BYTES;
    }
  }

  /** Bytes beyond the usual that count for one more page. */
  private static final int WEIGHT_BYTES = CacheLimits.READY_BYTES;

  private static final int USUAL_COMPONENTS = 16;
  private static final int COMPONENT_BYTES = 24;

  private static final int REMEMBERED_EVICTIONS = 1 << 16;

  private int cleanLimit;
  private final Map<ObjectId, Slot> changed = new HashMap<>();
  private final LinkedHashMap<ObjectId, Slot> clean = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<ObjectId> dirty = new LinkedHashSet<>();
  private final RecentlyEvicted<ObjectId> evicted = new RecentlyEvicted<>(REMEMBERED_EVICTIONS);
  private final PackedAttributes packed;
  private long cleanWeight;

  /**
   * @param cleanLimit pages that are kept ready
   * @param packedBytes for those that are packed
   */
  AttributeTable(int cleanLimit, long packedBytes) {
    this.cleanLimit = cleanLimit;
    this.packed = new PackedAttributes(packedBytes, this::dropped);
  }

  /** Keeps no more clean pages than this from now on. */
  void limit(int clean, long packedBytes) {
    cleanLimit = clean;
    packed.limit(packedBytes);
    evict();
  }

  /** What is known, or null. */
  Slot find(ObjectId object) {
    Slot slot = changed.get(object);
    if (slot == null) {
      slot = clean.get(object);
    }
    if (slot == null) {
      slot = packed.find(object);
      if (slot != null) {
        // It stays packed as well: nothing need be encoded when it is least recently used again.
        keepClean(object, slot);
      }
    }
    return slot;
  }

  int generation() {
    return evicted.generation();
  }

  /** A record says so. */
  void put(Attributes attributes, Lsn lsn) {
    removeClean(attributes.object());
    changed.put(attributes.object(), Slot.of(attributes, lsn));
    dirty.add(attributes.object());
  }

  /** A record has removed the object: remembered until its copies are gone. */
  void remove(ObjectId object, Lsn lsn) {
    removeClean(object);
    changed.put(object, new Slot(null, "it was removed", Collections.emptySortedSet(), lsn));
    dirty.remove(object);
  }

  boolean isBeingRemoved(ObjectId object) {
    Slot slot = changed.get(object);
    return slot != null && slot.attributes() == null;
  }

  void loaded(Attributes attributes, Lsn lsn, int loadGeneration) {
    ObjectId object = attributes.object();
    Slot known = find(object);
    boolean better = known == null || known.attributes() == null && !changed.containsKey(object);
    if (better && !evicted.isStale(object, lsn, loadGeneration)) {
      putClean(object, Slot.of(attributes, lsn));
    }
  }

  void lost(ObjectId object, SortedSet<OsdId> silent, String reason) {
    if (find(object) == null) {
      putClean(object, new Slot(null, reason, silent, Lsn.ZERO));
    }
  }

  /** Asks again for what was lost: OSDs may have come back. */
  void forgetLost() {
    int before = clean.size();
    clean.values().removeIf(slot -> slot.attributes() == null);
    cleanWeight -= before - clean.size();
  }

  /** Objects whose attributes have changed since this was last called. */
  Set<ObjectId> takeDirty() {
    Set<ObjectId> taken = new LinkedHashSet<>(dirty);
    dirty.clear();
    return taken;
  }

  int dirtyObjects() {
    return dirty.size();
  }

  /** Its copies may have lost what they were given: to be flushed again. */
  void makeDirty(ObjectId object) {
    Slot slot = changed.get(object);
    if (slot != null && slot.attributes() != null) {
      dirty.add(object);
    }
  }

  /** All present copies hold what it was up to that LSN under a checkpoint. */
  void settled(ObjectId object, Lsn upTo) {
    Slot slot = changed.get(object);
    if (slot == null || slot.lsn().compareTo(upTo) > 0) {
      return;
    }
    changed.remove(object);
    dirty.remove(object);
    if (slot.attributes() == null) {
      evicted.add(object, slot.lsn());
    } else {
      putClean(object, slot);
    }
  }

  private void putClean(ObjectId object, Slot slot) {
    removeClean(object);
    keepClean(object, slot);
  }

  private void keepClean(ObjectId object, Slot slot) {
    clean.put(object, slot);
    cleanWeight += slot.weight();
    evict();
  }

  private void removeClean(ObjectId object) {
    packed.remove(object);
    Slot slot = clean.remove(object);
    cleanWeight -= slot == null ? 0 : slot.weight();
  }

  private void evict() {
    Iterator<Map.Entry<ObjectId, Slot>> eldest = clean.entrySet().iterator();
    while (cleanWeight > cleanLimit && clean.size() > 1) {
      Map.Entry<ObjectId, Slot> entry = eldest.next();
      cleanWeight -= entry.getValue().weight();
      eldest.remove();
      pack(entry.getKey(), entry.getValue());
    }
  }

  /** A loss has no version, so nothing need be known of it afterwards. */
  private void pack(ObjectId object, Slot slot) {
    if (slot.attributes() != null && !packed.contains(object)) {
      packed.put(slot.attributes(), slot.lsn());
    }
  }

  /** Is not packed any more, for want of room. */
  private void dropped(ObjectId object, Lsn lsn) {
    if (!clean.containsKey(object)) {
      evicted.add(object, lsn);
    }
  }
}
