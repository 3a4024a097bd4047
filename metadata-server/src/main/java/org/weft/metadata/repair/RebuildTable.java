package org.weft.metadata.repair;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Components that are being written anew, at most one of a file. It is live state, changed by
 * effects alone (P 6.4, 6.8). Single-threaded.
 */
public final class RebuildTable {
  private final TreeMap<ObjectId, Rebuild> byObject = new TreeMap<>();
  private final TreeMap<Lsn, ObjectId> byNumber = new TreeMap<>();

  /** Applies that one has begun, in the place of an earlier one of the same file. */
  public void begin(Rebuild rebuild) {
    end(rebuild.object());
    byObject.put(rebuild.object(), rebuild);
    byNumber.put(rebuild.number(), rebuild.object());
  }

  /** Applies that it is over; said again it changes nothing. */
  public void end(ObjectId object) {
    Rebuild ended = byObject.remove(object);
    if (ended != null) {
      byNumber.remove(ended.number());
    }
  }

  public Optional<Rebuild> find(ObjectId object) {
    return Optional.ofNullable(byObject.get(object));
  }

  /** All of them, in the order of objects. */
  public List<Rebuild> all() {
    return List.copyOf(byObject.values());
  }

  /** What is to be written to OSDs, at most. */
  public SortedMap<OsdId, Long> pledgedBytes() {
    SortedMap<OsdId, Long> pledged = new TreeMap<>();
    byObject
        .values()
        .forEach(rebuild -> pledged.merge(rebuild.target(), rebuild.bytes(), Long::sum));
    return pledged;
  }

  public boolean isEmpty() {
    return byObject.isEmpty();
  }

  /** The smallest number that components are made under, or the one given if that is smaller. */
  public Lsn lowestNumber(Lsn most) {
    return byNumber.isEmpty() || most.compareTo(byNumber.firstKey()) <= 0
        ? most
        : byNumber.firstKey();
  }
}
