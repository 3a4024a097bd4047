package org.weft.metadata.quota;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;

/**
 * The trees of a volume, how much they hold, and what of that is promised to writers. All of it
 * comes from the journal. Confined to the volume's thread.
 */
public final class QuotaTable {
  /** Trees of one volume, those whose limits were cleared included. */
  public static final int MAX_TREES = 10_000;

  /** Trees around each other that operators and moves may make. */
  public static final int MAX_NESTED = 32;

  private final TreeMap<ObjectId, QuotaTree> trees = new TreeMap<>();
  private final Map<ObjectId, QuotaUsage> usage = new HashMap<>();
  private final TreeMap<ObjectId, QuotaFile> files = new TreeMap<>();
  private final Map<ObjectId, Long> reserved = new HashMap<>();

  /** The number of each tree's last change. */
  private final Map<ObjectId, Long> changed = new HashMap<>();

  private long changes;

  /** Nothing is counted in the volume. */
  public boolean isEmpty() {
    return trees.isEmpty();
  }

  /** All trees, by the ids of their directories. */
  public SortedMap<ObjectId, QuotaTree> trees() {
    return trees;
  }

  public Optional<QuotaTree> tree(ObjectId directory) {
    return Optional.ofNullable(trees.get(directory));
  }

  /** The usage of a tree that does not exist is zero. */
  public QuotaUsage usage(ObjectId tree) {
    return usage.getOrDefault(tree, QuotaUsage.NOTHING);
  }

  /** Another number than before if the tree or its usage has changed; in memory alone. */
  public long lastChange(ObjectId tree) {
    return changed.getOrDefault(tree, 0L);
  }

  private void change(ObjectId tree) {
    changes++;
    changed.put(tree, changes);
  }

  /** Files that are written under shares, or have no name. */
  public Collection<QuotaFile> files() {
    return files.values();
  }

  public Optional<QuotaFile> file(ObjectId object) {
    return Optional.ofNullable(files.get(object));
  }

  /** Bytes of shares in the tree that are not used. */
  public long reservedBytes(ObjectId tree) {
    return reserved.getOrDefault(tree, 0L);
  }

  /** The tree and those around it, from the innermost; empty for {@link QuotaTree#NONE}. */
  public List<QuotaTree> chain(ObjectId tree) {
    return chain(tree, trees);
  }

  /**
   * How many trees lie around each other within this one, itself left out.
   *
   * @param tree {@link QuotaTree#NONE}: in the whole volume
   */
  public int heightWithin(ObjectId tree) {
    int height = 0;
    for (ObjectId each : trees.keySet()) {
      List<ObjectId> chain = chain(each).stream().map(QuotaTree::directory).toList();
      int below = tree.equals(QuotaTree.NONE) ? chain.size() : chain.indexOf(tree);
      height = Math.max(height, below);
    }
    return height;
  }

  static List<QuotaTree> chain(ObjectId innermost, Map<ObjectId, QuotaTree> trees) {
    List<QuotaTree> chain = new ArrayList<>(2);
    QuotaTree next = trees.get(innermost);
    while (next != null) {
      // Journals of before the bound, and trees that are still counted, may go beyond MAX_NESTED.
      if (chain.size() > trees.size()) {
        throw new IllegalStateException("trees lie around each other: " + chain);
      }
      chain.add(next);
      next = trees.get(next.parent());
    }
    return chain;
  }

  /** Writers of files in the tree need shares. */
  public boolean boundsBytes(ObjectId tree) {
    return !trees.isEmpty() && chain(tree).stream().anyMatch(QuotaTree::boundsBytes);
  }

  /** Bytes that may be promised in the tree; {@link Long#MAX_VALUE}: any number. */
  public long roomBytes(ObjectId tree) {
    long room = Long.MAX_VALUE;
    for (QuotaTree each : chain(tree)) {
      if (each.boundsBytes()) {
        room = Math.min(room, roomBytes(each));
      }
    }
    return room;
  }

  private long roomBytes(QuotaTree tree) {
    long taken = usage(tree.directory()).bytes() + reservedBytes(tree.directory());
    return Math.max(0, tree.limits().hardBytes() - taken);
  }

  /** The tree that leaves the least room for bytes; empty if none bounds them. */
  public Optional<QuotaTree> tightest(ObjectId tree) {
    QuotaTree tightest = null;
    for (QuotaTree each : chain(tree)) {
      if (each.boundsBytes() && (tightest == null || roomBytes(each) < roomBytes(tightest))) {
        tightest = each;
      }
    }
    return Optional.ofNullable(tightest);
  }

  /** Other files with promised bytes that would be room in the tree, at most so many. */
  public List<ObjectId> holders(ObjectId tree, ObjectId except, int most) {
    List<ObjectId> holders = new ArrayList<>();
    for (QuotaFile file : files.values()) {
      boolean holds = file.reservedBytes() > 0 && !file.object().equals(except);
      if (holds && chain(file.tree()).stream().anyMatch(each -> each.directory().equals(tree))) {
        holders.add(file.object());
        if (holders.size() == most) {
          break;
        }
      }
    }
    return holders;
  }

  /** Applies the new state of a tree, except its usage. */
  public void put(QuotaTree tree) {
    change(tree.directory());
    QuotaTree before = trees.put(tree.directory(), tree);
    if (before != null && !before.parent().equals(tree.parent())) {
      reserveAnew();
    }
  }

  /** Applies how much a tree holds. */
  public void put(ObjectId tree, QuotaUsage now) {
    change(tree);
    usage.put(tree, now);
  }

  /** Applies that there is no such tree any more. */
  public void remove(ObjectId tree) {
    trees.remove(tree);
    usage.remove(tree);
    reserved.remove(tree);
    changed.remove(tree);
  }

  /** Applies what is known of a file. */
  public void put(QuotaFile file) {
    QuotaFile before =
        file.isForgotten() ? files.remove(file.object()) : files.put(file.object(), file);
    if (before != null) {
      reserve(before, -1);
    }
    reserve(file, 1);
  }

  private void reserve(QuotaFile file, int sign) {
    long bytes = file.reservedBytes();
    if (bytes != 0) {
      chain(file.tree()).forEach(tree -> reserved.merge(tree.directory(), sign * bytes, Long::sum));
    }
  }

  private void reserveAnew() {
    reserved.clear();
    files.values().forEach(file -> reserve(file, 1));
  }
}
