package org.weft.osd.store.space;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Free blocks of all segments. A demand is met from the window of its stream, else by the shortest run
 * of free blocks that is long enough (best fit, among the first segments that have one), else by growing
 * a segment, else in pieces. Thread-safe; no call does IO or waits.
 */
public final class BlockSpace {
  /** A demand this large opens a window: it is part of a stream. */
  static final int STREAM_BLOCKS = 64;

  /** How far a window reaches beyond what was demanded. */
  static final int WINDOW_BLOCKS = 1024;

  static final int MAX_WINDOWS = 64;

  private static final int SEGMENTS_SEARCHED = 4;

  private final SortedMap<Integer, SegmentMap> segments = new TreeMap<>();
  private final Map<Object, StreamWindow> windows = new LinkedHashMap<>(16, 0.75f, true);
  private final long capacityBlocks;
  private long grownBlocks;
  private long takenBlocks;
  private long windowBlocks;

  public BlockSpace(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
  }

  /** Makes a segment known, or longer. */
  public synchronized void grow(int segment, int blocks) {
    SegmentMap map = segments.computeIfAbsent(segment, number -> new SegmentMap());
    grownBlocks += blocks - map.blocks();
    map.grow(blocks);
  }

  /** Meets the demand, or says what could help. */
  public synchronized Allocation allocate(Demand demand) {
    int count = demand.blockCount();
    if (freeBlocks() - count < demand.leaveFree()) {
      return Allocation.refused(Allocation.Verdict.FULL);
    }
    List<BlockRange> ranges = new ArrayList<>();
    int missing = count - fromWindow(demand, ranges);
    if (missing > 0 && !contiguous(demand, missing, ranges)) {
      if (growable()) {
        giveBack(ranges);
        return Allocation.refused(Allocation.Verdict.GROW);
      }
      closeWindows();
      if (!inPieces(missing, ranges)) {
        giveBack(ranges);
        return Allocation.refused(Allocation.Verdict.FULL);
      }
    }
    takenBlocks += count;
    return Allocation.granted(ranges);
  }

  /** Frees blocks that were allocated, or marked as used. */
  public synchronized void free(BlockRange range) {
    segment(range).giveBack(range.firstBlock(), range.blockCount());
    takenBlocks -= range.blockCount();
  }

  /** Marks blocks that an extent holds; false, and nothing changes, if they are not all free. */
  public synchronized boolean markUsed(BlockRange range) {
    SegmentMap map = segments.get(range.segment());
    if (map == null || !map.isFree(range.firstBlock(), range.blockCount())) {
      return false;
    }
    map.take(range.firstBlock(), range.blockCount());
    takenBlocks += range.blockCount();
    return true;
  }

  /** Ends windows that were not used since the last call. */
  public synchronized void closeIdleWindows() {
    List<Object> idle = new ArrayList<>();
    windows.forEach(
        (stream, window) -> {
          if (!window.wasTouched()) {
            idle.add(stream);
          }
        });
    idle.forEach(stream -> close(windows.remove(stream)));
  }

  /** Blocks in use of each segment, by number. Ends all windows. */
  public synchronized SortedMap<Integer, BitSet> usedBits() {
    closeWindows();
    SortedMap<Integer, BitSet> bits = new TreeMap<>();
    segments.forEach((number, map) -> bits.put(number, map.usedBits()));
    return bits;
  }

  public long capacityBlocks() {
    return capacityBlocks;
  }

  public synchronized long usedBlocks() {
    return takenBlocks;
  }

  /** Capacity that is not in use, whether segments have grown to it or not; may be negative. */
  public synchronized long freeBlocks() {
    return capacityBlocks - takenBlocks;
  }

  /** True if segments should grow now, before somebody has to wait for it. */
  public synchronized boolean shouldGrow(long marginBlocks) {
    return growable() && grownBlocks - takenBlocks - windowBlocks < marginBlocks;
  }

  public synchronized long grownBlocks() {
    return grownBlocks;
  }

  private boolean growable() {
    return grownBlocks < capacityBlocks;
  }

  private int fromWindow(Demand demand, List<BlockRange> ranges) {
    StreamWindow window = windows.get(demand.stream());
    if (window == null) {
      return 0;
    }
    if (demand.firstBlock() == window.endBlock() || reachesBeyond(window, demand)) {
      extend(window, demand);
    }
    int available = window.available(demand.firstBlock(), demand.blockCount());
    if (available > 0) {
      ranges.add(window.take(demand.firstBlock(), available));
      windowBlocks -= available;
    }
    return available;
  }

  private static boolean reachesBeyond(StreamWindow window, Demand demand) {
    return window.available(demand.firstBlock(), 1) > 0
        && demand.firstBlock() + demand.blockCount() > window.endBlock();
  }

  private void extend(StreamWindow window, Demand demand) {
    SegmentMap map = segments.get(window.segment());
    int needed = (int) (demand.firstBlock() + demand.blockCount() - window.endBlock());
    int ahead = needed + windowAhead(needed);
    int extra = map.isFree(window.segmentEnd(), ahead) ? ahead : needed;
    if (extra > 0 && map.isFree(window.segmentEnd(), extra)) {
      map.take(window.segmentEnd(), extra);
      window.extend(extra);
      windowBlocks += extra;
    }
  }

  private boolean contiguous(Demand demand, int missing, List<BlockRange> ranges) {
    long first = demand.firstBlock() + demand.blockCount() - missing;
    int ahead = missing >= STREAM_BLOCKS ? windowAhead(missing) : 0;
    if (ahead > 0) {
      BlockRange range = bestFit(missing + ahead);
      if (range != null) {
        take(range);
        ranges.add(new BlockRange(range.segment(), range.firstBlock(), missing));
        open(
            demand.stream(),
            new StreamWindow(
                range.segment(), first + missing, range.firstBlock() + missing, ahead),
            ahead);
        return true;
      }
    }
    BlockRange range = bestFit(missing);
    if (range == null) {
      return false;
    }
    take(range);
    ranges.add(range);
    return true;
  }

  /** A window takes no more than a small part of what is left. */
  private int windowAhead(int demanded) {
    long left = Math.max(0, capacityBlocks - takenBlocks - windowBlocks - demanded);
    return (int) Math.min(WINDOW_BLOCKS, left / 64);
  }

  private BlockRange bestFit(int count) {
    BlockRange best = null;
    int bestLength = Integer.MAX_VALUE;
    int searched = 0;
    for (Map.Entry<Integer, SegmentMap> entry : segments.entrySet()) {
      SegmentMap.Run run = entry.getValue().bestFit(count);
      if (run == null) {
        continue;
      }
      if (run.count() < bestLength) {
        best = new BlockRange(entry.getKey(), run.first(), count);
        bestLength = run.count();
      }
      if (bestLength == count || ++searched == SEGMENTS_SEARCHED) {
        break;
      }
    }
    return best;
  }

  private boolean inPieces(int count, List<BlockRange> ranges) {
    int missing = count;
    while (missing > 0) {
      BlockRange longest = null;
      for (Map.Entry<Integer, SegmentMap> entry : segments.entrySet()) {
        int least = longest == null ? 1 : longest.blockCount() + 1;
        if (entry.getValue().mayHave(least)) {
          SegmentMap.Run run = entry.getValue().longest();
          if (run != null && run.count() >= least) {
            longest = new BlockRange(entry.getKey(), run.first(), run.count());
          }
        }
      }
      if (longest == null) {
        return false;
      }
      BlockRange piece =
          new BlockRange(
              longest.segment(), longest.firstBlock(), Math.min(missing, longest.blockCount()));
      take(piece);
      ranges.add(piece);
      missing -= piece.blockCount();
    }
    return true;
  }

  private void open(Object stream, StreamWindow window, int blocks) {
    StreamWindow old = windows.put(stream, window);
    windowBlocks += blocks;
    if (old != null) {
      close(old);
    }
    if (windows.size() > MAX_WINDOWS) {
      Object eldest = windows.keySet().iterator().next();
      close(windows.remove(eldest));
    }
  }

  private void closeWindows() {
    windows.values().forEach(this::close);
    windows.clear();
  }

  private void close(StreamWindow window) {
    for (BlockRange range : window.untaken()) {
      segment(range).giveBack(range.firstBlock(), range.blockCount());
      windowBlocks -= range.blockCount();
    }
  }

  private void take(BlockRange range) {
    segments.get(range.segment()).take(range.firstBlock(), range.blockCount());
  }

  private void giveBack(List<BlockRange> ranges) {
    ranges.forEach(range -> segment(range).giveBack(range.firstBlock(), range.blockCount()));
  }

  private SegmentMap segment(BlockRange range) {
    SegmentMap map = segments.get(range.segment());
    if (map == null) {
      throw new IllegalStateException("there is no segment " + range.segment());
    }
    return map;
  }
}
