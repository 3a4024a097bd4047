package org.weft.osd.check;

import java.io.IOException;
import java.nio.file.Path;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.SegmentDirectory;

/**
 * Proves a stopped store sound without changing it. Every value decodes and belongs to something,
 * and every extent lies inside its segment. No block is held twice, neither by objects nor by what
 * pending writes keep. Figures agree with what they count. The free map of an orderly stop matches
 * the extents. All stored blocks match their checksums.
 *
 * <p>After a power loss, open the store once before: that gives half-written blocks their older
 * bytes back. Single-threaded; memory grows with the number of objects.
 */
public final class StoreCheck {
  private StoreCheck() {}

  /**
   * Checks the store in a folder.
   *
   * @param readData also read all blocks and compare their checksums
   * @throws WeftException UNAVAILABLE if the store is open, INVALID_ARGUMENT if there is none,
   *     BAD_MEDIA if it cannot be read at all
   */
  public static CheckReport run(Path folder, boolean readData, CheckListener progress)
      throws IOException {
    StoreFolder store = new StoreFolder(folder);
    try (KeyValueStore tables = store.openTablesReadOnly()) {
      return run(tables, store.openSegments(), readData, progress);
    }
  }

  /** Checks the store in these, which stay open. */
  public static CheckReport run(
      KeyValueStore tables, SegmentDirectory segments, boolean readData, CheckListener progress)
      throws IOException {
    Tally tally = new Tally(progress);
    TableCheck table = new TableCheck(tables, tally);
    table.header();
    table.partitions();
    table.objects();
    table.attributes();
    table.tombstones();
    table.unknownKeys();
    try (ExtentCheck extents = new ExtentCheck(tables, segments, table, tally)) {
      extents.segments();
      extents.replaced();
      extents.copies();
      extents.extents(readData);
      extents.pending(readData);
      extents.givenBack();
      extents.figures();
      extents.freeMap();
    }
    return tally.report();
  }
}
