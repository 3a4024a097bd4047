package org.weft.osd.store;

import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.id.ObjectName;

/**
 * READ of a range, which is widened to whole blocks.
 *
 * @param lengthBytes at most {@value #MAX_BYTES}
 * @param withStamps also report the last write ids of the range (P 5.6)
 * @param leftOut blocks of the range that are not read, ascending
 */
public record ObjectRead(
    ObjectName name,
    Authority authority,
    long offsetBytes,
    int lengthBytes,
    boolean withStamps,
    List<BlockRun> leftOut) {
  public static final int MAX_BYTES = 16 << 20;

  private static final int BLOCK_BYTES = StoreOptions.BLOCK_BYTES;

  public ObjectRead {
    leftOut = List.copyOf(leftOut);
  }

  /** Of a whole range. */
  public ObjectRead(
      ObjectName name, Authority authority, long offsetBytes, int lengthBytes, boolean withStamps) {
    this(name, authority, offsetBytes, lengthBytes, withStamps, List.of());
  }

  /**
   * The blocks that are read, ascending, as far as they lie before that one.
   *
   * @param beforeBlock number of a block; what lies from there on is of no interest
   */
  public List<BlockRun> wanted(long beforeBlock) {
    List<BlockRun> wanted = new ArrayList<>(leftOut.size() + 1);
    long from = offsetBytes / BLOCK_BYTES;
    long end = Math.min(beforeBlock, (offsetBytes + lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    for (BlockRun hole : leftOut) {
      addRun(wanted, from, Math.min(end, hole.firstBlock()));
      from = Math.max(from, hole.endBlock());
    }
    addRun(wanted, from, end);
    return wanted;
  }

  private static void addRun(List<BlockRun> runs, long from, long end) {
    if (from < end) {
      runs.add(new BlockRun(from, (int) (end - from)));
    }
  }
}
