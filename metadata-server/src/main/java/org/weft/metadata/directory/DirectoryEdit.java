package org.weft.metadata.directory;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;

/**
 * A change of a directory whose blocks on the way are all in memory. It works on copies, then
 * writes them. The same change of the same blocks always gives the same blocks, which redo relies
 * on (P 6.3).
 */
final class DirectoryEdit {
  private final BlockView view;
  private final HeaderBlock header;
  private final SortedMap<Integer, IndexNode> nodes = new TreeMap<>();
  private final SortedMap<Integer, Bucket> buckets = new TreeMap<>();

  DirectoryEdit(BlockView view) {
    this.view = view;
    this.header = HeaderBlock.copyOf(view.read(DirectoryBlock.HEADER));
  }

  private IndexNode node(int block) {
    return block == DirectoryBlock.HEADER
        ? header.root()
        : nodes.computeIfAbsent(block, number -> IndexNode.copyOf(view.read(number)));
  }

  /** A node to look at; a copy only if it was changed already. */
  private IndexNode peek(int block) {
    return block == DirectoryBlock.HEADER || nodes.containsKey(block)
        ? node(block)
        : IndexNode.of(view.read(block));
  }

  private Bucket bucket(int block) {
    Bucket changed = buckets.get(block);
    return changed != null ? changed : Bucket.of(view.read(block));
  }

  /** True if the name is new. */
  boolean put(long place, byte[] name, DirectoryEntry entry) {
    IndexPath path = IndexPath.to(place, this::peek);
    if (path.leaf() == 0) {
      Bucket alone = Bucket.empty().with(Bucket.encode(place + 1, name, entry));
      fillRun(path.last(), newBucket(alone));
      header.addEntry();
      return true;
    }
    Bucket bucket = bucket(path.leaf());
    long cookie = bucket.cookieOf(place, name);
    boolean isNew = cookie == 0;
    if (isNew) {
      cookie = bucket.freeCookie(place);
      header.addEntry();
    } else {
      buckets.put(path.leaf(), bucket.without(cookie));
    }
    insert(place, Bucket.encode(cookie, name, entry));
    return isNew;
  }

  private void insert(long place, byte[] encoded) {
    while (true) {
      IndexPath path = IndexPath.to(place, this::peek);
      if (path.leaf() == 0) {
        fillRun(path.last(), newBucket(Bucket.empty().with(encoded)));
        return;
      }
      Bucket bucket = bucket(path.leaf());
      if (bucket.fits(encoded)) {
        buckets.put(path.leaf(), bucket.with(encoded));
        return;
      }
      split(place, path);
    }
  }

  private int newBucket(Bucket bucket) {
    int number = header.allocate();
    buckets.put(number, bucket);
    return number;
  }

  /** Lets the slot, and those around it that led to the same, lead to something else. */
  private void fillRun(IndexPath.Step step, int pointer) {
    IndexNode node = node(step.block());
    int length = node.runLength(step.slot());
    node.fill(step.slot() & -length, length, pointer);
  }

  /**
   * Makes room at the place by one step: halves its bucket, or gives the index a bit more for it.
   */
  private void split(long place, IndexPath path) {
    IndexPath.Step step = path.last();
    IndexNode node = node(step.block());
    int length = node.runLength(step.slot());
    int bitsLeft = NameHash.PLACE_BITS - step.usedBits() - node.depth();
    if (length > 1) {
      halve(place, path, node, step.slot() & -length, length);
    } else if (bitsLeft == 0) {
      throw new IllegalStateException("too many names of a directory share a hash");
    } else if (node.depth() < IndexNode.MAX_DEPTH) {
      node.doubleSlots();
    } else {
      int child = header.allocate();
      nodes.put(child, IndexNode.over(path.leaf()));
      node.fill(step.slot(), 1, IndexNode.pointerToNode(child));
    }
  }

  private void halve(long place, IndexPath path, IndexNode node, int from, int length) {
    int half = length / 2;
    int middle = from + half;
    Bucket bucket = bucket(path.leaf());
    Bucket low = part(bucket, place, path, node, from, half);
    Bucket high = part(bucket, place, path, node, middle, half);
    if (low.count() == 0) {
      node.fill(from, half, 0);
    } else if (high.count() == 0) {
      node.fill(middle, half, 0);
    } else {
      buckets.put(path.leaf(), low);
      node.fill(middle, half, newBucket(high));
    }
  }

  private static Bucket part(
      Bucket bucket, long place, IndexPath path, IndexNode node, int from, int length) {
    return bucket.range(
        path.firstPlace(place, node.depth(), from),
        path.lastCookie(place, node.depth(), from, length));
  }

  /** False if there was no such name. */
  boolean remove(long place, byte[] name) {
    IndexPath path = IndexPath.to(place, this::peek);
    if (path.leaf() == 0) {
      return false;
    }
    Bucket bucket = bucket(path.leaf());
    long cookie = bucket.cookieOf(place, name);
    if (cookie == 0) {
      return false;
    }
    Bucket rest = bucket.without(cookie);
    if (rest.count() > 0) {
      buckets.put(path.leaf(), rest);
    } else {
      cut(path);
    }
    if (header.removeEntry()) {
      nodes.clear();
      buckets.clear();
    }
    return true;
  }

  /** Takes an empty bucket out of the index, and the nodes that are empty without it. */
  private void cut(IndexPath path) {
    header.free(path.leaf());
    List<IndexPath.Step> steps = path.steps();
    for (int level = steps.size() - 1; level >= 0; level--) {
      fillRun(steps.get(level), 0);
      int block = steps.get(level).block();
      if (level == 0 || !node(block).isEmpty()) {
        return;
      }
      nodes.remove(block);
      header.free(block);
    }
  }

  /** Writes what has changed; the header always, so that its LSN is the directory's. */
  void write(Lsn lsn) {
    nodes.forEach((number, node) -> write(number, node.bytes(), lsn));
    buckets.forEach((number, bucket) -> write(number, bucket.bytes(), lsn));
    write(DirectoryBlock.HEADER, header.bytes(), lsn);
  }

  private void write(int number, ByteBuffer bytes, Lsn lsn) {
    view.write(number, DirectoryBlock.seal(bytes, view.directory(), number, lsn));
  }
}
