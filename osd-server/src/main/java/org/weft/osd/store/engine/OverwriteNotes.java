package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/**
 * What commits that no checkpoint covers took the place of, of all objects. The blocks that notes
 * lead to have not been used again.
 */
final class OverwriteNotes {
  // By handle, then by page; the newest first.
  private final SortedMap<Long, SortedMap<Long, List<ExtentPage>>> notes = new TreeMap<>();

  static OverwriteNotes read(KeyValueStore store) throws IOException {
    OverwriteNotes all = new OverwriteNotes();
    byte[] prefix = StoreKeys.prefix(StoreKeys.REPLACED);
    try (KeyValueStore.Cursor cursor = store.scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        long page = StoreKeys.numberAt(cursor.key(), 2);
        all.notes
            .computeIfAbsent(StoreKeys.numberAt(cursor.key(), 1), handle -> new TreeMap<>())
            .computeIfAbsent(page, number -> new ArrayList<>())
            .add(0, ExtentPageCodec.decode(page, cursor.value()));
      }
    }
    return all;
  }

  SortedSet<Long> handles() {
    return new TreeSet<>(notes.keySet());
  }

  SortedSet<Long> pages(long handle) {
    return new TreeSet<>(notes.getOrDefault(handle, new TreeMap<>()).keySet());
  }

  /**
   * What a block held before, the newest first, as far back as it may come back: behind a hole, or
   * behind where the block was let go, nothing older counts.
   *
   * @param now what it holds; null for nothing
   * @return begins with {@code now}; null stands for a hole, which is the last if it is in
   */
  List<Extent> versions(long handle, long block, Extent now) {
    List<Extent> versions = new ArrayList<>();
    versions.add(now);
    Extent last = now;
    for (ExtentPage page :
        notes.getOrDefault(handle, new TreeMap<>()).getOrDefault(ExtentPage.of(block), List.of())) {
      Extent older = page.at(block);
      if (older == null) {
        continue;
      }
      if (older.isCut()) {
        break;
      }
      if (older.isHole()) {
        versions.add(null);
        break;
      }
      if (last == null || !isSame(older, last, block)) {
        versions.add(older.asStored());
        last = older;
      }
      if (older.isLast()) {
        break;
      }
    }
    return versions;
  }

  private static boolean isSame(Extent one, Extent other, long block) {
    return one.segment() == other.segment()
        && one.segmentBlock() + block - one.firstBlock()
            == other.segmentBlock() + block - other.firstBlock();
  }
}
