package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
 * The notes of extents that commits replaced, as far as no checkpoint covers those commits. The
 * blocks that notes lead to have not been used again.
 */
final class OverwriteNotes {
  /** What a commit took the place of in one page. */
  private record Note(long commit, ExtentPage page) {}

  // By handle, then by page; the newest first.
  private final SortedMap<Long, SortedMap<Long, List<Note>>> notes = new TreeMap<>();

  static OverwriteNotes read(KeyValueStore store) throws IOException {
    OverwriteNotes all = new OverwriteNotes();
    Entries.ofKind(
        store,
        StoreKeys.REPLACED,
        (key, value) -> {
          long page = StoreKeys.numberAt(key, 2);
          all.notes
              .computeIfAbsent(StoreKeys.numberAt(key, 1), handle -> new TreeMap<>())
              .computeIfAbsent(page, number -> new ArrayList<>())
              .add(0, new Note(StoreKeys.numberAt(key, 0), ExtentPageCodec.decode(page, value)));
        });
    return all;
  }

  SortedSet<Long> handles() {
    return new TreeSet<>(notes.keySet());
  }

  SortedSet<Long> pages(long handle) {
    return new TreeSet<>(ofObject(handle).keySet());
  }

  /** Commits that took the place of anything of the object, the newest first. */
  List<Long> commits(long handle) {
    SortedSet<Long> commits = new TreeSet<>(Comparator.reverseOrder());
    for (List<Note> ofPage : ofObject(handle).values()) {
      ofPage.forEach(note -> commits.add(note.commit()));
    }
    return List.copyOf(commits);
  }

  /** Blocks of which anything is noted. */
  SortedSet<Long> blocks(long handle) {
    SortedSet<Long> blocks = new TreeSet<>();
    for (List<Note> ofPage : ofObject(handle).values()) {
      for (Note note : ofPage) {
        for (Extent extent : note.page().extents()) {
          for (long block = extent.firstBlock(); block < extent.endBlock(); block++) {
            blocks.add(block);
          }
        }
      }
    }
    return blocks;
  }

  /**
   * What a block held before a commit: what the oldest of that commit and the later ones says.
   *
   * @param now what it holds, if none of them changed it
   * @return with the note's flags: {@link Extent#isHole}, {@link Extent#isCut}
   */
  Extent before(long handle, long block, long commit, Extent now) {
    Extent found = now;
    for (Note note : ofBlock(handle, block)) {
      if (note.commit() < commit) {
        break;
      }
      Extent older = note.page().at(block);
      found = older == null ? found : older;
    }
    return found;
  }

  private List<Note> ofBlock(long handle, long block) {
    return ofObject(handle).getOrDefault(ExtentPage.of(block), List.of());
  }

  private SortedMap<Long, List<Note>> ofObject(long handle) {
    return notes.getOrDefault(handle, Collections.emptySortedMap());
  }

  /**
   * What a block held before, the newest first, as far back as it may come back. Nothing older
   * counts behind a hole, or behind where the block was let go.
   *
   * @param now what it holds; null for nothing
   * @return begins with {@code now}; null stands for a hole, which is the last if it is in
   */
  List<Extent> versions(long handle, long block, Extent now) {
    List<Extent> versions = new ArrayList<>();
    versions.add(now);
    Extent last = now;
    for (Note note : ofBlock(handle, block)) {
      Extent older = note.page().at(block);
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

  /** True if both say that the block lies in the same place. */
  static boolean isSame(Extent one, Extent other, long block) {
    return one.segment() == other.segment()
        && one.segmentBlock() + block - one.firstBlock()
            == other.segmentBlock() + block - other.firstBlock();
  }
}
