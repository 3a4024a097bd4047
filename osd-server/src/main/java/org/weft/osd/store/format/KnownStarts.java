package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts that a store remembers: the last one that its cluster let in, and those since, which may
 * have been let in without the store hearing of it. Stored as one u64 each, the first one first.
 */
public record KnownStarts(List<Long> starts) {
  public static final KnownStarts NONE = new KnownStarts(List.of());

  /** So many are remembered: the first one and the last ones. */
  static final int MOST = 128;

  public KnownStarts {
    starts = List.copyOf(starts);
  }

  /** With a new start, which has not been let in yet. */
  public KnownStarts started(long startId) {
    List<Long> more = new ArrayList<>(starts);
    more.add(startId);
    if (more.size() > MOST) {
      more.remove(1);
    }
    return new KnownStarts(more);
  }

  public byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(starts.size() * Long.BYTES);
    starts.forEach(bytes::putLong);
    return bytes.array();
  }

  /** As {@link #encode} gave it; null: a store of an older release. */
  public static KnownStarts decode(byte[] value) throws FormatException {
    if (value == null) {
      return NONE;
    }
    if (value.length % Long.BYTES != 0) {
      throw new FormatException("the list of starts has " + value.length + " bytes");
    }
    List<Long> starts = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(value);
    while (bytes.hasRemaining()) {
      starts.add(bytes.getLong());
    }
    return new KnownStarts(starts);
  }
}
