package org.weft.metadata.quota;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.ObjectId;

/**
 * Changes of one record in the usage of trees. It has what each changed node counted before and
 * afterwards. First come trees, then nodes. Made for one record.
 */
public final class QuotaLedger {
  private static final class Change {
    private long bytes;
    private long files;
    private long reserved;
    private long unbounded;
  }

  /**
   * No caller makes a tree hold more, whatever its limits are: holes count, so that a few sparse
   * files would go beyond a long. What is left above is room for what the manager has to count.
   */
  public static final long MAX_BYTES = 1L << 62;

  private final QuotaTable table;
  private final Map<ObjectId, QuotaTree> trees;
  private final TreeMap<ObjectId, Change> changes = new TreeMap<>();

  /**
   * @param put trees as the record leaves them, where it changes them
   */
  public QuotaLedger(QuotaTable table, List<QuotaTree> put) {
    this.table = table;
    if (put.isEmpty()) {
      this.trees = table.trees();
      return;
    }
    this.trees = new HashMap<>(table.trees());
    put.forEach(tree -> trees.put(tree.directory(), tree));
    for (QuotaTree tree : put) {
      Optional<QuotaTree> before = table.tree(tree.directory());
      if (before.isPresent() && !before.get().parent().equals(tree.parent())) {
        move(tree, before.get().parent());
      }
    }
  }

  /** What a tree holds counts in the trees around it. */
  private void move(QuotaTree tree, ObjectId parentBefore) {
    QuotaUsage held = table.usage(tree.directory());
    long reserved = table.reservedBytes(tree.directory());
    for (QuotaTree each : table.chain(parentBefore)) {
      add(each, -held.bytes(), -held.files(), -reserved);
    }
    for (QuotaTree each : QuotaTable.chain(tree.parent(), trees)) {
      add(each, held.bytes(), held.files(), reserved);
    }
  }

  /** A node counts so much from now on, or, with negative numbers, less. */
  public void count(ObjectId tree, long bytes, long files) {
    for (QuotaTree each : QuotaTable.chain(tree, trees)) {
      add(each, bytes, files, 0);
    }
  }

  /** So much was written without a share, by a writer of before the quota: it is not refused. */
  public void unbounded(ObjectId tree, long bytes) {
    for (QuotaTree each : QuotaTable.chain(tree, trees)) {
      change(each).unbounded += bytes;
    }
  }

  /** What is known of a file changes. */
  public void file(Optional<QuotaFile> before, QuotaFile after) {
    before.ifPresent(file -> reserve(file, -1));
    reserve(after, 1);
  }

  private void reserve(QuotaFile file, int sign) {
    long bytes = sign * file.reservedBytes();
    if (bytes != 0) {
      for (QuotaTree each : QuotaTable.chain(file.tree(), trees)) {
        add(each, 0, 0, bytes);
      }
    }
  }

  private void add(QuotaTree tree, long bytes, long files, long reserved) {
    Change change = change(tree);
    change.bytes += bytes;
    change.files += files;
    change.reserved += reserved;
  }

  private Change change(QuotaTree tree) {
    return changes.computeIfAbsent(tree.directory(), key -> new Change());
  }

  /** A limit that the record would exceed, and does not leave as it was. */
  public record Excess(
      QuotaTree tree, boolean ofBytes, long limit, long used, long reserved, long asked) {}

  /** The first hard limit in force that the record would exceed. */
  public Optional<Excess> excess() {
    for (Map.Entry<ObjectId, Change> entry : changes.entrySet()) {
      QuotaTree tree = trees.get(entry.getKey());
      Change change = entry.getValue();
      QuotaUsage used = table.usage(tree.directory());
      long reserved = table.reservedBytes(tree.directory());
      long hardBytes = tree.limits().hardBytes();
      long hardFiles = tree.limits().hardFiles();
      if (change.bytes > 0 && change.bytes > MAX_BYTES - used.bytes()) {
        return Optional.of(new Excess(tree, true, MAX_BYTES, used.bytes(), reserved, change.bytes));
      }
      long more = change.bytes + change.reserved - change.unbounded;
      if (tree.counted()
          && hardBytes != 0
          && more > 0
          && change.bytes + change.reserved > hardBytes - (used.bytes() + reserved)) {
        return Optional.of(new Excess(tree, true, hardBytes, used.bytes(), reserved, more));
      }
      if (tree.counted()
          && hardFiles != 0
          && change.files > 0
          && used.files() + change.files > hardFiles) {
        return Optional.of(new Excess(tree, false, hardFiles, used.files(), 0, change.files));
      }
    }
    return Optional.empty();
  }

  /**
   * Trees that hold nothing any more. A tree counts its own directory, so that this one is gone,
   * and the last file that was counted in the tree elsewhere, too.
   */
  public List<ObjectId> emptied() {
    List<ObjectId> emptied = new ArrayList<>();
    changes.forEach(
        (tree, change) -> {
          QuotaUsage before = table.usage(tree);
          boolean isEmpty =
              before.bytes() + change.bytes == 0 && before.files() + change.files == 0;
          if (table.tree(tree).isPresent() && isEmpty) {
            emptied.add(tree);
          }
        });
    return emptied;
  }

  /** What trees hold from now on, where it is another amount than before. */
  public SortedMap<ObjectId, QuotaUsage> usages(long nowMillis) {
    TreeMap<ObjectId, QuotaUsage> usages = new TreeMap<>();
    changes.forEach(
        (directory, change) -> {
          QuotaUsage before = table.usage(directory);
          QuotaUsage after =
              new QuotaUsage(
                      before.bytes() + change.bytes,
                      before.files() + change.files,
                      before.softBytesSinceMillis(),
                      before.softFilesSinceMillis())
                  .against(trees.get(directory).limits(), nowMillis);
          if (!after.equals(before)) {
            usages.put(directory, after);
          }
        });
    return usages;
  }
}
