package org.weft.osd.store.engine.state;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Says of which objects the tables certainly hold no record, or no tombstone. A volume numbers its
 * objects in the order in which they are made. So most new ones lie above all that an OSD has met
 * (P 6.4). Making one looks up three keys that are not there otherwise, and removing it one. Where
 * nothing is certain the tables are asked.
 *
 * <p>Used by the committer alone. It must hear of each record and each tombstone that is made right
 * after it was asked about it, before it is asked about another. It may also hear of one that is
 * never written.
 */
public final class AbsentObjects {
  /** For so many partitions numbers are kept, 64 KiB for each at most. */
  private static final int MAX_PARTITIONS = 64;

  private final KeyValueStore tables;
  private final Map<PartitionId, Numbers> partitions = new HashMap<>();

  private record Numbers(FreshNumbers records, FreshNumbers tombstones) {}

  /**
   * @param tables asked for the highest numbers of a partition when it is met
   */
  public AbsentObjects(KeyValueStore tables) {
    this.tables = tables;
  }

  /** True if there is no record of the object, as committed or in the making. */
  public boolean hasNoRecord(ObjectName name) throws IOException {
    return numbers(name).records().isFresh(name.object().value());
  }

  /** True if there is no tombstone of the object, as committed or in the making. */
  public boolean hasNoTombstone(ObjectName name) throws IOException {
    return numbers(name).tombstones().isFresh(name.object().value());
  }

  /** A record of the object is being made. */
  public void record(ObjectName name) throws IOException {
    numbers(name).records().meet(name.object().value());
  }

  /** A tombstone of the object is being made. */
  public void tombstone(ObjectName name) throws IOException {
    numbers(name).tombstones().meet(name.object().value());
  }

  /** To be called between two commits: what is not written yet cannot be found again. */
  public void trim() {
    if (partitions.size() > MAX_PARTITIONS) {
      partitions.clear();
    }
  }

  private Numbers numbers(ObjectName name) throws IOException {
    Numbers known = partitions.get(name.partition());
    if (known == null) {
      known =
          new Numbers(
              above(StoreKeys.OBJECT, name.partition()),
              above(StoreKeys.TOMBSTONE, name.partition()));
      partitions.put(name.partition(), known);
    }
    return known;
  }

  private FreshNumbers above(byte kind, PartitionId partition) throws IOException {
    byte[] prefix = StoreKeys.prefix(kind, partition.value());
    byte[] last = tables.lastKey(prefix, StoreKeys.after(prefix));
    long highest = last == null ? 0 : StoreKeys.numberAt(last, 1);
    // Numbers are unsigned; so many are never given out.
    return new FreshNumbers(highest < 0 ? Long.MAX_VALUE : highest);
  }
}
