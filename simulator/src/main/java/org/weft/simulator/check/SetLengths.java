package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The lengths that clients set one file to: what is longer was written since (P 4.3, 6.5.78). */
final class SetLengths {
  private final List<ContentChange> all = new ArrayList<>();

  /** A client begins to set the length. */
  void add(ContentChange change) {
    all.add(change);
  }

  /** The least length of the file: others may have cut it since. */
  long uncut(List<Writer.Reach> reached) {
    return reached.stream().mapToLong(this::uncut).max().orElse(0);
  }

  private long uncut(Writer.Reach reach) {
    return all.stream()
        .filter(change -> change.end > reach.since())
        .mapToLong(change -> change.from)
        .reduce(reach.length(), Math::min);
  }

  /**
   * The greatest length of the file that a reader may see between two moments. It is the last set
   * length, or the end of a write that came since or was under way then.
   */
  long most(Changes bytes, long start, long end) {
    Optional<ContentChange> last =
        all.stream()
            .filter(change -> change.acknowledged && change.end < start)
            .max(Comparator.comparingLong(change -> change.start));
    if (last.isEmpty()) {
      return FileHistory.MAX_BYTES;
    }
    long since = last.get().start;
    long written =
        bytes.all().stream()
            .filter(change -> change.content != Content.ZEROS)
            .filter(change -> change.end > since && change.start < end)
            .mapToLong(change -> change.to)
            .reduce(last.get().from, Math::max);
    return all.stream()
        .filter(change -> change.end > since && change.start < end)
        .mapToLong(change -> change.from)
        .reduce(written, Math::max);
  }

  @Override
  public String toString() {
    return all.toString();
  }
}
