package org.weft.metadata.grant;

import java.util.TreeMap;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.OwnedStripes;

/**
 * Which ranges of shared files each write grant owns, for reading or for writing (P 6.5). If a
 * grant owns a byte for writing, no other grant on the file owns it. Everything comes from the
 * journal. Pure, confined to the volume's thread.
 */
public final class RangeTable {
  /**
   * Ranges that one grant may own. Clients ask for a quarter of that at most. A range for reading
   * is split around the grant's ranges for writing, which can double the count.
   */
  public static final int MAX_OF_GRANT = 2_000;

  /** Ranges that all grants of the volume may own; past it no more are given. */
  public static final int MAX = 100_000;

  private final TreeMap<Lsn, OwnedStripes> owned = new TreeMap<>();
  private int size;

  /** What the grant owns. */
  public OwnedStripes of(Lsn number) {
    return owned.getOrDefault(number, OwnedStripes.NONE);
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if the grant would own more ranges than one may,
   *     OVERLOADED if all would and it is not fewer than before
   */
  public void requireRoom(Lsn number, OwnedStripes wanted) throws WeftException {
    if (wanted.size() > MAX_OF_GRANT) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "grant "
              + number
              + " would own "
              + wanted.size()
              + " ranges of its file, and may own "
              + MAX_OF_GRANT
              + "; give back some, or larger ones");
    }
    int more = wanted.size() - of(number).size();
    if (more > 0 && size + more > MAX) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          MAX + " ranges of shared files are owned, as many as this manager takes; try later");
    }
  }

  /** Applies what the grant owns from now on. */
  void put(Lsn number, OwnedStripes ranges) {
    drop(number);
    if (!ranges.isEmpty()) {
      owned.put(number, ranges);
      size += ranges.size();
    }
  }

  /** Applies that the grant has ended. */
  void drop(Lsn number) {
    OwnedStripes before = owned.remove(number);
    size -= before == null ? 0 : before.size();
  }

  /** Ranges of all grants. */
  public int size() {
    return size;
  }
}
