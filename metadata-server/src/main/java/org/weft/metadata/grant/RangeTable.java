package org.weft.metadata.grant;

import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRanges;

/**
 * Which ranges of shared files each write grant owns (P 6.5); no two grants on a file own the same
 * byte. Everything comes from the journal. Pure, confined to the volume's thread.
 */
public final class RangeTable {
  /** Ranges that one grant may own. */
  public static final int MOST_OF_GRANT = 1_000;

  /** Ranges that all grants of the volume may own; past it no more are given. */
  public static final int MOST = 100_000;

  private final TreeMap<Lsn, ByteRanges> owned = new TreeMap<>();
  private int size;

  /** What the grant owns. */
  public ByteRanges of(Lsn number) {
    return owned.getOrDefault(number, ByteRanges.NONE);
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if the grant would own more ranges than one may,
   *     OVERLOADED if all would and it is not fewer than before
   */
  public void requireRoom(Lsn number, ByteRanges wanted) throws WeftException {
    if (wanted.size() > MOST_OF_GRANT) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "grant "
              + number
              + " would own "
              + wanted.size()
              + " ranges of its file, and may own "
              + MOST_OF_GRANT
              + "; give back some, or larger ones");
    }
    int more = wanted.size() - of(number).size();
    if (more > 0 && size + more > MOST) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          MOST + " ranges of shared files are owned, as many as this manager takes; try later");
    }
  }

  /** Applies what the grant owns from now on. */
  void put(Lsn number, ByteRanges ranges) {
    drop(number);
    if (!ranges.isEmpty()) {
      owned.put(number, ranges);
      size += ranges.size();
    }
  }

  /** Applies that the grant has ended. */
  void drop(Lsn number) {
    ByteRanges before = owned.remove(number);
    size -= before == null ? 0 : before.size();
  }

  /** Ranges of all grants. */
  public int size() {
    return size;
  }
}
