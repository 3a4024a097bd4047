package org.weft.osd.check;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.format.BlockCopyCodec;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.FreeMapCodec;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.RevertedBlocksCodec;
import org.weft.osd.store.format.SegmentCodec;
import org.weft.osd.store.format.SegmentEntry;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.WriteId;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** Checks extents, and the blocks they lead to. */
final class ExtentCheck implements AutoCloseable {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  private final KeyValueStore tables;
  private final SegmentDirectory directory;
  private final Map<Long, TableCheck.Owner> owners;
  private final Tally tally;
  private final SortedMap<Integer, Segment> segments = new TreeMap<>();
  // Blocks kept because a checkpoint is still to come: what they hold, by where they lie.
  private final Map<Place, Place> kept = new HashMap<>();

  /** A block: of a segment, or of an object by its handle. */
  private record Place(long of, long block) {}

  private record Segment(SegmentEntry entry, SegmentFile file, BitSet used) {
    int blocks() {
      return entry.grownBlocks();
    }
  }

  ExtentCheck(KeyValueStore tables, SegmentDirectory directory, TableCheck table, Tally tally) {
    this.tables = tables;
    this.directory = directory;
    this.owners = table.owners();
    this.tally = tally;
  }

  void segments() throws IOException {
    Scan.of(
        tables,
        StoreKeys.SEGMENT,
        tally,
        (key, value) -> {
          SegmentEntry entry = SegmentCodec.decode(StoreKeys.segmentOf(key), value);
          SegmentFile file;
          try {
            file = directory.open(entry.name());
          } catch (IOException e) {
            tally.finding("segment file " + entry.name() + " cannot be opened: " + e);
            return;
          }
          if (file.sizeBytes() < (long) entry.grownBlocks() * BLOCK_BYTES) {
            tally.finding(
                "segment file "
                    + entry.name()
                    + " has "
                    + file.sizeBytes()
                    + " bytes, it should have "
                    + (long) entry.grownBlocks() * BLOCK_BYTES);
          }
          segments.put(entry.segment(), new Segment(entry, file, new BitSet()));
        });
  }

  /**
   * Bytes before an overwrite that no checkpoint covers yet: nothing else may have their blocks.
   */
  void replaced() throws IOException {
    Scan.of(
        tables,
        StoreKeys.REPLACED,
        tally,
        (key, value) -> {
          ExtentPage page = ExtentPageCodec.decode(StoreKeys.numberAt(key, 2), value);
          for (Extent extent : page.extents()) {
            for (int i = 0; !extent.isHole() && i < extent.blockCount(); i++) {
              kept.put(
                  new Place(extent.segment(), extent.segmentBlock() + i),
                  new Place(StoreKeys.numberAt(key, 1), extent.firstBlock() + i));
            }
          }
        });
  }

  /** Copies of blocks lie inside segments, and none outlives an orderly stop. */
  void copies() throws IOException {
    Scan.of(
        tables,
        StoreKeys.BLOCK_COPY,
        tally,
        (key, value) -> {
          if (tally.orderly) {
            tally.finding("there is a copy of blocks, although the last stop was orderly");
          }
          int unused =
              BlockCopyCodec.blocksOf(
                  key, value, n -> segments.containsKey(n) ? segments.get(n).blocks() : 0);
        });
  }

  void extents(boolean readData) throws IOException {
    Scan.of(
        tables,
        StoreKeys.EXTENTS,
        tally,
        (key, value) -> {
          long handle = StoreKeys.numberAt(key, 0);
          TableCheck.Owner owner = owners.get(handle);
          if (owner == null) {
            tally.finding("extents belong to no object: handle " + handle);
            owner = new TableCheck.Owner(null, null);
          }
          ExtentPage page = ExtentPageCodec.decode(StoreKeys.numberAt(key, 1), value);
          for (Extent extent : page.extents()) {
            owner.endBlock = Math.max(owner.endBlock, extent.endBlock());
            check(extent, handle, owner, "", readData);
          }
        });
  }

  /** What pending writes keep belongs to them alone; nothing in the list is complete (P 5.4). */
  void pending(boolean readData) throws IOException {
    Scan.of(
        tables,
        StoreKeys.PENDING,
        tally,
        (key, value) -> {
          long handle = StoreKeys.numberAt(key, 0);
          TableCheck.Owner owner = owners.get(handle);
          if (owner == null || owner.record == null) {
            tally.finding("a pending list belongs to no object: handle " + handle);
            owner = new TableCheck.Owner(null, null);
          }
          owner.hasPending = true;
          for (PendingRecord record : PendingCodec.decode(value).records()) {
            checkRecord(record, handle, owner, readData);
          }
        });
  }

  /** What power losses gave back is of objects that are there. */
  void givenBack() throws IOException {
    Scan.of(
        tables,
        StoreKeys.GIVEN_BACK,
        tally,
        (key, value) -> {
          long handle = StoreKeys.numberAt(key, 0);
          TableCheck.Owner owner = owners.get(handle);
          if (owner == null || owner.record == null) {
            tally.finding("blocks that were given back belong to no object: handle " + handle);
          }
          if (RevertedBlocksCodec.decode(value).isEmpty()) {
            tally.finding("no blocks are said to be given back, handle " + handle);
          }
        });
  }

  private void checkRecord(
      PendingRecord record, long handle, TableCheck.Owner owner, boolean readData) {
    String write = ", write " + new WriteId(record.grant(), record.write().firstSequence());
    if (owner.record != null
        && owner.record.isComplete(record.grant(), record.write().lastSequence())) {
      tally.finding(name(owner, handle) + write + " is complete and still in the pending list");
    }
    boolean whole =
        record.kind() != PendingKind.XOR_DELTA
            || record.keptBlocks() == record.endBlock() - record.firstBlock();
    if (!whole) {
      tally.finding(name(owner, handle) + write + " does not keep all of its δ");
    }
    long reached = record.firstBlock();
    for (Extent extent : record.kept()) {
      if (extent.firstBlock() < reached || extent.endBlock() > record.endBlock()) {
        tally.finding(name(owner, handle) + write + " keeps what it did not write on");
      }
      reached = extent.endBlock();
      check(extent, handle, owner, write + " keeps", readData);
    }
  }

  private void check(
      Extent extent, long handle, TableCheck.Owner owner, String write, boolean readData) {
    tally.extents = tally.counted("extents", tally.extents + 1);
    tally.blocks += extent.blockCount();
    owner.blocks += extent.blockCount();
    String what =
        name(owner, handle)
            + write
            + ", blocks "
            + extent.firstBlock()
            + " to "
            + extent.endBlock();
    if (extent.isCut() || extent.isHole() || extent.isLast()) {
      tally.finding(what + " are marked as let go");
    }
    Segment segment = segments.get(extent.segment());
    if (segment == null) {
      tally.finding(what + " lie in segment " + extent.segment() + ", which is not there");
      return;
    }
    if (extent.blockCount() > segment.blocks() - extent.segmentBlock()) {
      tally.finding(
          what
              + " lie at "
              + extent.segmentBlock()
              + " of segment "
              + extent.segment()
              + ", which has "
              + segment.blocks()
              + " blocks");
      return;
    }
    int end = extent.segmentBlock() + extent.blockCount();
    int taken = segment.used().nextSetBit(extent.segmentBlock());
    if (taken >= 0 && taken < end) {
      tally.finding(
          what + ": block " + taken + " of segment " + extent.segment() + " is held twice");
    }
    segment.used().set(extent.segmentBlock(), end);
    checkKept(extent, handle, what);
    if (readData) {
      checkData(extent, segment, owner, what);
    }
  }

  private void checkKept(Extent extent, long handle, String what) {
    for (int i = 0; !kept.isEmpty() && i < extent.blockCount(); i++) {
      Place older = kept.get(new Place(extent.segment(), extent.segmentBlock() + i));
      if (older != null && !older.equals(new Place(handle, extent.firstBlock() + i))) {
        tally.finding(
            what
                + ": block "
                + (extent.segmentBlock() + i)
                + " of segment "
                + extent.segment()
                + " was used again before a checkpoint");
      }
    }
  }

  private void checkData(Extent extent, Segment segment, TableCheck.Owner owner, String what) {
    ByteBuffer bytes = ByteBuffer.allocate(extent.blockCount() * BLOCK_BYTES);
    try {
      segment.file().read(bytes, (long) extent.segmentBlock() * BLOCK_BYTES);
    } catch (IOException e) {
      tally.finding(what + " cannot be read: " + e);
      return;
    }
    tally.dataBytes += bytes.capacity();
    if (extent.isLost()) {
      // They match no checksum, and must not.
      return;
    }
    CRC32C crc = new CRC32C();
    for (int i = 0; i < extent.blockCount(); i++) {
      crc.reset();
      crc.update(bytes.array(), i * BLOCK_BYTES, BLOCK_BYTES);
      if ((int) crc.getValue() != extent.crcs()[i]) {
        tally.damaged(
            what + ": block " + (extent.firstBlock() + i) + " does not match its checksum",
            new DamagedBlock(
                segment.entry().name(),
                (long) extent.segmentBlock() + i,
                Optional.ofNullable(owner.name),
                extent.firstBlock() + i));
      }
    }
  }

  /** Counts in the objects' records are those of their extents. */
  void figures() {
    owners.forEach(
        (handle, owner) -> {
          if (owner.record == null) {
            return;
          }
          if (owner.record.usedBlocks() != owner.blocks) {
            tally.finding(
                name(owner, handle)
                    + " counts "
                    + owner.record.usedBlocks()
                    + " blocks, it has "
                    + owner.blocks);
          }
          if (owner.record.hasPending() != owner.hasPending) {
            tally.finding(name(owner, handle) + " does not know whether it has a pending list");
          }
          long end = (owner.record.componentBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES;
          if (owner.endBlock > end) {
            tally.finding(
                name(owner, handle)
                    + " has blocks up to "
                    + owner.endBlock
                    + ", beyond its end at "
                    + owner.record.componentBytes());
          }
        });
  }

  /** The free map that an orderly stop left is that of the extents. */
  void freeMap() throws IOException {
    Scan.of(
        tables,
        StoreKeys.FREE_MAP,
        tally,
        (key, value) -> {
          BitSet used = FreeMapCodec.decode(value);
          Segment segment = segments.get(StoreKeys.segmentOf(key));
          if (!tally.orderly) {
            tally.finding("there is a free map, but the last stop was not orderly");
          } else if (segment == null) {
            tally.finding(
                "there is a free map of segment "
                    + StoreKeys.segmentOf(key)
                    + ", which is not there");
          } else if (!used.equals(segment.used())) {
            used.xor(segment.used());
            tally.finding(
                "the free map of segment "
                    + segment.entry().segment()
                    + " is wrong about "
                    + used.cardinality()
                    + " blocks, the first is "
                    + used.nextSetBit(0));
          }
        });
  }

  private static String name(TableCheck.Owner owner, long handle) {
    return owner.name == null ? "what was handle " + handle : "object " + owner.name;
  }

  @Override
  public void close() throws IOException {
    for (Segment segment : segments.values()) {
      segment.file().close();
    }
  }
}
