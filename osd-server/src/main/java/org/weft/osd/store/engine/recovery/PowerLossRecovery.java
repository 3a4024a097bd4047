package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Repairs a store after a power loss. Its tables may know of writes whose bytes never reached the
 * disk. Where such a write overwrote older bytes, those are still there. No checkpoint covered the
 * commit, so its blocks were not used again.
 *
 * <p>Of each object, first the pending writes that lost bytes are undone as a whole ({@link
 * LostWrites}). Then each other block that does not match its checksum gets its older bytes back,
 * if those do; and so does what pending writes keep. So a durable block stays readable, as it was
 * or as it became, now and after an abort. A pending write is there as a whole or not at all, and
 * every block is held once. What was let go in between does not come back. A directory goes back as
 * a whole ({@link TornDirectory}).
 *
 * <p>Some blocks got bytes back that are older than what their object's list speaks of. They are
 * noted with the object. Beside the other units of their stripes they may decode to what no client
 * wrote.
 *
 * <p>All of one object is changed in one step.
 */
public final class PowerLossRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(PowerLossRecovery.class);

  private final KeyValueStore store;
  private final Segments segments;
  private final long checkpoint;
  private long undone;
  private long restored;
  private long damaged;

  /**
   * @param checkpoint the last durable one
   */
  public PowerLossRecovery(KeyValueStore store, Segments segments, long checkpoint) {
    this.store = store;
    this.segments = segments;
    this.checkpoint = checkpoint;
  }

  /** Goes through all objects with notes or pending writes; may be run again. */
  public void run() throws IOException {
    OverwriteNotes notes = OverwriteNotes.read(store);
    SortedSet<Long> handles = notes.handles();
    Entries.ofKind(
        store, StoreKeys.PENDING, (key, value) -> handles.add(StoreKeys.numberAt(key, 0)));
    List<RecoveredObject> changed = new ArrayList<>();
    for (long handle : handles) {
      RecoveredObject object = new RecoveredObject(store, segments, handle);
      undone += new LostWrites(object, notes, checkpoint).undo();
      OptionalLong together = new TornDirectory(object, notes).restore();
      if (together.isPresent()) {
        restored += together.getAsLong();
      } else {
        restore(object, notes);
      }
      restoreKept(object, notes);
      if (object.isChanged()) {
        changed.add(object);
      }
    }
    write(changed);
    if (hasFoundLosses()) {
      LOG.warn(
          "after a power loss {} pending writes are as if they had not come, {} blocks got their"
              + " bytes before the last overwrite back, {} have neither those nor the new ones",
          undone,
          restored,
          damaged);
    }
  }

  /** True if something was not as it had been written. */
  public boolean hasFoundLosses() {
    return undone + restored + damaged > 0;
  }

  private void restore(RecoveredObject object, OverwriteNotes notes) throws IOException {
    for (long page : notes.pages(object.handle())) {
      for (long i = 0; i < ExtentPage.BLOCKS; i++) {
        long block = page * ExtentPage.BLOCKS + i;
        Extent now = object.at(block);
        if (now == null || object.isPending(block) || object.isSettled(block)) {
          continue;
        }
        List<Extent> versions = notes.versions(object.handle(), block, now);
        if (versions.size() == 1 || object.isGood(now, block)) {
          continue;
        }
        Extent older = newestGood(object, versions, block);
        if (older == null) {
          damaged++;
        } else {
          object.put(block, older);
          noteGivenBack(object, now, block);
          restored++;
        }
      }
    }
  }

  /**
   * Blocks of directories are no units of stripes, and their writes have no place in a sequence.
   */
  private static void noteGivenBack(RecoveredObject object, Extent lost, long block) {
    if (lost.sequence() != 0) {
      object.noteGivenBack(block);
    }
  }

  /** Null if there is none but a hole, which would read as zeros that no client wrote. */
  private static Extent newestGood(RecoveredObject object, List<Extent> versions, long block) {
    for (int i = 1; i < versions.size(); i++) {
      if (versions.get(i) != null && object.isGood(versions.get(i), block)) {
        return versions.get(i);
      }
    }
    return null;
  }

  private void restoreKept(RecoveredObject object, OverwriteNotes notes) throws IOException {
    for (PendingRecord record : object.records()) {
      switch (record.kind()) {
        case STRIPE, XOR_DATA -> restoreKept(object, notes, record);
        default -> {
          // A δ has no older version.
        }
      }
    }
  }

  private void restoreKept(RecoveredObject object, OverwriteNotes notes, PendingRecord record)
      throws IOException {
    List<Extent> kept = new ArrayList<>();
    boolean changed = false;
    for (Extent extent : record.kept()) {
      for (long block = extent.firstBlock(); block < extent.endBlock(); block++) {
        Extent older = null;
        if (!object.isGood(extent, block)) {
          // The notes begin with what the record keeps, or with what was there before that.
          older = newestGood(object, notes.versions(object.handle(), block, extent), block);
        }
        if (older != null) {
          changed = true;
          restored++;
          noteGivenBack(object, extent, block);
        }
        kept.add((older != null ? older : extent).part(block, block + 1));
      }
    }
    if (changed) {
      object.replace(record, record.keeping(kept));
    }
  }

  private void write(List<RecoveredObject> changed) throws IOException {
    if (changed.isEmpty()) {
      return;
    }
    SortedMap<Long, RecoveredObject> byHandle = new TreeMap<>();
    changed.forEach(object -> byHandle.put(object.handle(), object));
    SortedMap<Long, KeyValueStore.Batch> batches = new TreeMap<>();
    Entries.ofKind(
        store,
        StoreKeys.OBJECT,
        (key, value) -> {
          ObjectRecord record = ObjectRecordCodec.decode(value);
          RecoveredObject object = byHandle.get(record.handle());
          if (object != null) {
            ObjectRecord next =
                record.written(0, object.addedBlocks()).withPending(object.hasPending()).changed();
            ObjectName name = StoreKeys.nameOf(key);
            batches.put(
                record.handle(),
                new KeyValueStore.Batch()
                    .put(StoreKeys.object(name), ObjectRecordCodec.encode(next)));
          }
        });
    for (RecoveredObject object : changed) {
      // One that was removed has no record any more, only extents that are still to be freed.
      boolean exists = batches.containsKey(object.handle());
      KeyValueStore.Batch batch = batches.getOrDefault(object.handle(), new KeyValueStore.Batch());
      object.stage(batch, exists);
      store.write(batch, false);
    }
  }
}
