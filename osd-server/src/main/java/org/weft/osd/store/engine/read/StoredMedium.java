package org.weft.osd.store.engine.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ScrubNotes;
import org.weft.osd.store.engine.block.BlockReads;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.ScrubNotesCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.osd.store.space.Pins;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Reads what extents lead to, and compares it with their checksums. Each page of an object is read
 * under a pin of its own, so that what is overwritten meanwhile is not used again before (P 5.2).
 * Not thread-safe.
 */
public final class StoredMedium {
  private final StoreState store;
  private final BlockReads reads;

  /** Of this store. */
  public StoredMedium(StoreState store) {
    this.store = store;
    this.reads = new BlockReads(store.segments());
  }

  /** A look under way. */
  private static final class Walk {
    private final long mostBytes;
    private final List<BadBlock> bad = new ArrayList<>();
    private long bytes;

    Walk(long mostBytes) {
      this.mostBytes = mostBytes;
    }

    boolean isOver() {
      return bytes >= mostBytes;
    }
  }

  /**
   * Reads about so many bytes on from a place.
   *
   * @throws IOException of the tables
   */
  public MediumLook look(MediumPlace from, long aboutBytes) throws IOException {
    Walk walk = new Walk(aboutBytes);
    byte[] end = StoreKeys.after(StoreKeys.prefix(StoreKeys.OBJECT));
    try (KeyValueStore.Cursor objects = store.values().scan(StoreKeys.object(from.object()), end)) {
      while (objects.next()) {
        ObjectName name = StoreKeys.nameOf(objects.key());
        if (walk.isOver()) {
          return seen(walk, new MediumPlace(name, 0));
        }
        long handle = ObjectRecordCodec.decode(objects.value()).handle();
        long firstPage = name.equals(from.object()) ? from.page() : 0;
        long next = pages(walk, name, handle, firstPage);
        if (next >= 0) {
          return seen(walk, new MediumPlace(name, next));
        }
        attributes(walk, handle);
        kept(walk, name);
      }
    }
    return seen(walk, null);
  }

  private static MediumLook seen(Walk walk, MediumPlace next) {
    return new MediumLook(Optional.ofNullable(next), walk.bytes, walk.bad);
  }

  /** The page to go on with, or -1 if all were read. */
  private long pages(Walk walk, ObjectName name, long handle, long firstPage) throws IOException {
    byte[] from = StoreKeys.extents(handle, firstPage);
    byte[] end = StoreKeys.after(StoreKeys.prefix(StoreKeys.EXTENTS, handle));
    try (KeyValueStore.Cursor pages = store.values().scan(from, end)) {
      while (pages.next()) {
        long number = StoreKeys.numberAt(pages.key(), 1);
        if (walk.isOver()) {
          return number;
        }
        page(walk, name, handle, number);
      }
    }
    return -1;
  }

  private void page(Walk walk, ObjectName name, long handle, long number) throws IOException {
    Pins.Pin pin = store.pins().everything();
    try {
      // Only now: what the scan saw may have been let go since.
      byte[] value = store.values().get(StoreKeys.extents(handle, number));
      if (value != null) {
        read(walk, name, ExtentPageCodec.decode(number, value).extents(), false, pin);
      }
    } finally {
      pin.release();
    }
  }

  /** They have checksums of their own in the tables, which their readers compare. */
  private void attributes(Walk walk, long handle) throws IOException {
    byte[] prefix = StoreKeys.prefix(StoreKeys.ATTRIBUTE, handle);
    try (KeyValueStore.Cursor cursor = store.values().scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        walk.bytes += cursor.value().length;
      }
    }
  }

  private void kept(Walk walk, ObjectName name) throws IOException {
    Pins.Pin pin = store.pins().everything();
    try {
      read(walk, name, keptNow(name), true, pin);
    } finally {
      pin.release();
    }
  }

  private List<Extent> keptNow(ObjectName name) throws IOException {
    Values committed = store.values()::get;
    ObjectRecord record = committed.object(name);
    List<Extent> kept = new ArrayList<>();
    if (record != null && record.hasPending()) {
      for (PendingRecord pending : committed.pending(record).records()) {
        kept.addAll(pending.kept());
      }
    }
    return kept;
  }

  private void read(Walk walk, ObjectName name, List<Extent> extents, boolean kept, Pins.Pin pin) {
    pin.narrow(ranges(extents));
    for (Extent extent : extents) {
      if (extent.isLost() || extent.isHole()) {
        // Known to match nothing, or nowhere at all.
        continue;
      }
      walk.bytes += (long) extent.blockCount() * HeaderCodec.BLOCK_BYTES;
      for (int place : reads.bad(extent)) {
        walk.bad.add(new BadBlock(name, extent.firstBlock() + place, kept));
      }
    }
  }

  private static List<BlockRange> ranges(List<Extent> extents) {
    return extents.stream()
        .filter(extent -> !extent.isHole())
        .map(extent -> new BlockRange(extent.segment(), extent.segmentBlock(), extent.blockCount()))
        .toList();
  }

  /**
   * True if the block is there still and cannot be read, or is not what was written.
   *
   * @throws IOException of the tables
   */
  public boolean isBad(BadBlock block) throws IOException {
    Pins.Pin pin = store.pins().everything();
    try {
      List<Extent> now =
          (block.kept() ? keptNow(block.object()) : heldNow(block))
              .stream()
                  .filter(extent -> extent.firstBlock() <= block.block())
                  .filter(extent -> block.block() < extent.endBlock())
                  .map(extent -> extent.part(block.block(), block.block() + 1))
                  .toList();
      Walk walk = new Walk(0);
      read(walk, block.object(), now, block.kept(), pin);
      return !walk.bad.isEmpty();
    } finally {
      pin.release();
    }
  }

  private List<Extent> heldNow(BadBlock block) throws IOException {
    Values committed = store.values()::get;
    ObjectRecord record = committed.object(block.object());
    return record == null
        ? List.of()
        : committed.page(record.handle(), ExtentPage.of(block.block())).extents();
  }

  /**
   * What the scrub noted last; empty: nothing yet.
   *
   * @throws IOException of the tables
   */
  public Optional<ScrubNotes> notes() throws IOException {
    byte[] value = store.values().get(StoreKeys.scrubNotes());
    return value == null ? Optional.empty() : Optional.of(ScrubNotesCodec.decode(value));
  }

  /**
   * Keeps what the scrub notes; durable with the next sync of the tables.
   *
   * @throws IOException of the tables
   */
  public void note(ScrubNotes notes) throws IOException {
    store
        .values()
        .write(
            new KeyValueStore.Batch().put(StoreKeys.scrubNotes(), ScrubNotesCodec.encode(notes)),
            false);
  }
}
