package org.weft.metadata.volume.state;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaScan;
import org.weft.metadata.quota.QuotaTable;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.id.ObjectId;

/** The trees of a volume whose usage is counted, and how far those are that are not yet. */
public final class VolumeQuotas {
  private static final int MAX_SAID = 10;

  private final QuotaTable table = new QuotaTable();
  private final TreeMap<ObjectId, QuotaScan> scans = new TreeMap<>();

  /** Limits and usage of all trees. */
  public QuotaTable table() {
    return table;
  }

  /** Applies a journalled change. */
  void apply(QuotaEffect effect) {
    if (effect instanceof QuotaEffect.TreePut put) {
      QuotaTree tree = put.tree();
      table.put(tree);
      if (tree.counted()) {
        scans.remove(tree.directory());
      } else {
        scans.computeIfAbsent(tree.directory(), QuotaScan::new);
      }
    } else if (effect instanceof QuotaEffect.TreeUsed used) {
      table.put(used.tree(), used.usage());
    } else if (effect instanceof QuotaEffect.TreeGone gone) {
      table.remove(gone.tree());
      scans.remove(gone.tree());
    } else if (effect instanceof QuotaEffect.FilePut put) {
      table.put(put.file());
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  /** Trees that are to be counted further, and how far each one is. */
  public SortedMap<ObjectId, QuotaScan> scans() {
    return Collections.unmodifiableSortedMap(scans);
  }

  /**
   * No tree within it is still being counted. What one of those holds counts in those around it as
   * well, so theirs cannot be complete before.
   */
  public boolean isCountedWithin(ObjectId tree) {
    return scans.keySet().stream()
        .filter(other -> !other.equals(tree))
        .noneMatch(
            other -> table.chain(other).stream().anyMatch(outer -> outer.directory().equals(tree)));
  }

  /** A sentence for each quota of which a soft limit is exceeded, at most a few. */
  List<String> softExceeded() {
    List<String> said = new ArrayList<>();
    for (QuotaTree tree : table.trees().values()) {
      QuotaUsage usage = table.usage(tree.directory());
      if (said.size() >= MAX_SAID) {
        break;
      }
      if (tree.counted() && usage.softBytesSinceMillis() != 0) {
        long limit = tree.limits().softBytes();
        said.add(words(tree, usage.softBytesSinceMillis(), usage.bytes(), limit, "bytes"));
      }
      if (tree.counted() && usage.softFilesSinceMillis() != 0) {
        long limit = tree.limits().softFiles();
        said.add(words(tree, usage.softFilesSinceMillis(), usage.files(), limit, "files"));
      }
    }
    return said;
  }

  private static String words(
      QuotaTree tree, long sinceMillis, long used, long limit, String unit) {
    return "The quota of /%s in the volume is beyond its soft limit since %s: %d of %d %s are used."
        .formatted(tree.path(), Instant.ofEpochMilli(sinceMillis), used, limit, unit);
  }

  /** All files by their lengths; empty if not all are counted. */
  OptionalLong fileBytes() {
    return table
        .tree(ObjectId.ROOT)
        .filter(QuotaTree::counted)
        .map(tree -> OptionalLong.of(table.usage(tree.directory()).bytes()))
        .orElse(OptionalLong.empty());
  }

  /** All of it, as effects that make it again. */
  List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    for (QuotaTree tree : table.trees().values()) {
      effects.add(new QuotaEffect.TreePut(tree));
      effects.add(new QuotaEffect.TreeUsed(tree.directory(), table.usage(tree.directory())));
    }
    for (QuotaFile file : table.files()) {
      effects.add(new QuotaEffect.FilePut(file));
    }
    return effects;
  }
}
