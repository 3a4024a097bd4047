package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts that a store remembers: the last one that its cluster let in, and those since. The cluster
 * may have let those in without the store hearing of it. Stored as one u64 each: checkpoint,
 * change, and the starts, the first one first.
 *
 * @param checkpoint that the first start since then found; what later ones find has grown by their
 *     own openings, although they never served
 * @param change that the first start since then found
 */
public record KnownStarts(long checkpoint, long change, List<Long> starts) {
  public static final KnownStarts NONE = new KnownStarts(0, 0, List.of());

  /** So many are remembered: the first one and the last ones. */
  static final int MAX = 128;

  public KnownStarts {
    starts = List.copyOf(starts);
  }

  /** With a new start, which has not been let in yet. */
  public KnownStarts started(long startId, long foundCheckpoint, long foundChange) {
    boolean first = starts.size() <= 1;
    List<Long> more = new ArrayList<>(starts);
    more.add(startId);
    if (more.size() > MAX) {
      more.remove(1);
    }
    return new KnownStarts(
        first ? foundCheckpoint : checkpoint, first ? foundChange : change, more);
  }

  /** After that start was let in. */
  public static KnownStarts letIn(long startId) {
    return new KnownStarts(0, 0, List.of(startId));
  }

  public byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate((2 + starts.size()) * Long.BYTES);
    bytes.putLong(checkpoint).putLong(change);
    starts.forEach(bytes::putLong);
    return bytes.array();
  }

  /** As {@link #encode} gave it; null: a store of an older release. */
  public static KnownStarts decode(byte[] value) throws FormatException {
    if (value == null) {
      return NONE;
    }
    if (value.length % Long.BYTES != 0 || value.length < 2 * Long.BYTES) {
      throw new FormatException("the list of starts has " + value.length + " bytes");
    }
    List<Long> starts = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(value);
    long checkpoint = bytes.getLong();
    long change = bytes.getLong();
    while (bytes.hasRemaining()) {
      starts.add(bytes.getLong());
    }
    return new KnownStarts(checkpoint, change, starts);
  }
}
