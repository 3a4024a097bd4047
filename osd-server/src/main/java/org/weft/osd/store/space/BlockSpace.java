package org.weft.osd.store.space;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Free blocks of all segments. A demand is met from the window of its stream, else by the shortest
 * run of free blocks that is long enough. This best fit looks among the first segments that have
 * one, for a small demand among the first runs. If there is none, a segment grows, or the demand is
 * met in pieces. A demand that is part of a stream opens a window behind it. So the stream lies in
 * one piece although others are written beside it, and although its runs arrive out of order.
 * Thread-safe; no call does IO or waits.
 */
public final class BlockSpace {
  /** A demand this large is part of a stream. */
  static final int STREAM_BLOCKS = 64;

  /** How far a window reaches beyond what was demanded, at first; it grows with its stream. */
  static final int WINDOW_BLOCKS = 1024;

  static final int MAX_WINDOW_BLOCKS = 8192;
  static final int MAX_STREAMS = 64;

  /** A window takes at most this part of what is free. */
  private static final int WINDOW_SHARE = 64;

  private static final int SEGMENTS_SEARCHED = 4;

  /**
   * Where a demand is no stream's, the best of so many runs will do: space may be in many pieces.
   */
  private static final int RUNS_SEARCHED = 32;

  private final SortedMap<Integer, SegmentMap> segments = new TreeMap<>();
  private final Map<Object, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);
  private final long capacityBlocks;
  private long grownBlocks;
  private long takenBlocks;
  private long windowBlocks;
  // The disk has no space for segments to grow: what they have is all there is.
  private boolean stuck;

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
    if (freeBlocks() - count < leaveFree(demand)) {
      return Allocation.refused(Allocation.Verdict.FULL);
    }
    List<BlockRange> ranges = new ArrayList<>();
    int missing = count - fromWindows(demand, ranges);
    if (missing > 0 && !contiguous(demand, missing, ranges)) {
      if (growable()) {
        giveBack(ranges);
        return Allocation.refused(Allocation.Verdict.GROW);
      }
      closeStreams();
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

  /** Ends streams that were not written to since the last call. */
  public synchronized void closeIdleStreams() {
    List<Object> idle = new ArrayList<>();
    streams.forEach(
        (key, stream) -> {
          if (!stream.wasTouched()) {
            idle.add(key);
          }
        });
    idle.forEach(key -> close(streams.remove(key)));
  }

  /** Blocks in use of each segment, by number. Ends all streams. */
  public synchronized SortedMap<Integer, BitSet> usedBits() {
    closeStreams();
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

  /** Capacity that is not in use and can be had, whether segments have grown to it or not. */
  public synchronized long freeBlocks() {
    return (stuck ? Math.min(grownBlocks, capacityBlocks) : capacityBlocks) - takenBlocks;
  }

  /**
   * The disk has no space left for segments, or has some again. While it has none the reserve is
   * kept of what there is, and demands are met in pieces.
   */
  public synchronized void setStuck(boolean now) {
    stuck = now;
  }

  public synchronized boolean isStuck() {
    return stuck;
  }

  /** How much of the capacity the disk does not give. */
  public synchronized long missingBlocks() {
    return stuck ? Math.max(0, capacityBlocks - grownBlocks) : 0;
  }

  /** True if segments should grow now, before a writer has to wait for it. */
  public synchronized boolean shouldGrow(long marginBlocks) {
    return growable() && grownBlocks - takenBlocks - windowBlocks < marginBlocks;
  }

  public synchronized long grownBlocks() {
    return grownBlocks;
  }

  /** Of a capacity that is not all there, a part as large is left free. */
  private long leaveFree(Demand demand) {
    return stuck && grownBlocks < capacityBlocks
        ? (long) ((double) demand.leaveFree() * grownBlocks / capacityBlocks)
        : demand.leaveFree();
  }

  private boolean growable() {
    return !stuck && grownBlocks < capacityBlocks;
  }

  private int fromWindows(Demand demand, List<BlockRange> ranges) {
    Stream stream = streams.get(demand.stream());
    if (stream == null) {
      return 0;
    }
    if (stream.goesOn(demand.firstBlock(), demand.blockCount())) {
      extend(stream, demand);
    }
    int done = 0;
    while (done < demand.blockCount()) {
      long block = demand.firstBlock() + done;
      StreamWindow window = stream.windowOf(block);
      if (window == null) {
        break;
      }
      int available = window.available(block, demand.blockCount() - done);
      ranges.add(window.take(block, available));
      windowBlocks -= available;
      done += available;
    }
    stream.served(done);
    return done;
  }

  /** Lengthens the current window to hold the demand and more, if what lies behind it is free. */
  private void extend(Stream stream, Demand demand) {
    StreamWindow window = stream.current;
    SegmentMap map = segments.get(window.segment());
    int needed = (int) (demand.firstBlock() + demand.blockCount() - window.endBlock());
    int ahead = needed + windowAhead(needed, stream);
    int extra = map.isFree(window.segmentEnd(), ahead) ? ahead : needed;
    if (map.isFree(window.segmentEnd(), extra)) {
      map.take(window.segmentEnd(), extra);
      window.extend(extra);
      windowBlocks += extra;
    }
  }

  private boolean contiguous(Demand demand, int missing, List<BlockRange> ranges) {
    if (fromNewWindow(demand, missing, ranges)) {
      return true;
    }
    BlockRange range = bestFit(missing);
    if (range == null) {
      return false;
    }
    take(range);
    ranges.add(range);
    return true;
  }

  /** Opens a window behind the stream's last one, or at its start, or where it leaps to. */
  private boolean fromNewWindow(Demand demand, int missing, List<BlockRange> ranges) {
    long first = demand.firstBlock() + demand.blockCount() - missing;
    Stream stream = streams.get(demand.stream());
    long start;
    if (stream != null && stream.goesOn(first, missing)) {
      // Runs in front of this one that are still to come get their place as well.
      start = stream.current.endBlock();
    } else if (missing >= STREAM_BLOCKS && (stream == null || stream.isAhead(first))) {
      start = first;
    } else {
      return false;
    }
    Stream known = stream == null ? new Stream() : stream;
    int needed = (int) (first - start) + missing;
    int ahead = windowAhead(needed, known);
    BlockRange range = ahead == 0 ? null : bestFit(needed + ahead);
    if (range == null) {
      return false;
    }
    take(range);
    windowBlocks += range.blockCount();
    StreamWindow window =
        new StreamWindow(range.segment(), start, range.firstBlock(), range.blockCount());
    close(known.moveTo(window));
    ranges.add(window.take(first, missing));
    windowBlocks -= missing;
    known.served(missing);
    keep(demand.stream(), known);
    return true;
  }

  private void keep(Object key, Stream stream) {
    streams.put(key, stream);
    if (streams.size() > MAX_STREAMS) {
      Object eldest = streams.keySet().iterator().next();
      close(streams.remove(eldest));
    }
  }

  private int windowAhead(int demanded, Stream stream) {
    long left = Math.max(0, capacityBlocks - takenBlocks - windowBlocks - demanded);
    long wanted = Math.min(MAX_WINDOW_BLOCKS, Math.max(WINDOW_BLOCKS, stream.servedBlocks()));
    return (int) Math.min(wanted, left / WINDOW_SHARE);
  }

  private BlockRange bestFit(int count) {
    BlockRange best = null;
    int bestLength = Integer.MAX_VALUE;
    int searched = 0;
    int mostRuns = count < STREAM_BLOCKS ? RUNS_SEARCHED : Integer.MAX_VALUE;
    for (Map.Entry<Integer, SegmentMap> entry : segments.entrySet()) {
      SegmentMap.Run run = entry.getValue().bestFit(count, mostRuns);
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
      BlockRange longest = longest();
      if (longest == null) {
        return false;
      }
      int taken = Math.min(missing, longest.blockCount());
      BlockRange piece = new BlockRange(longest.segment(), longest.firstBlock(), taken);
      take(piece);
      ranges.add(piece);
      missing -= taken;
    }
    return true;
  }

  private BlockRange longest() {
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
    return longest;
  }

  private void closeStreams() {
    streams.values().forEach(this::close);
    streams.clear();
  }

  private void close(Stream stream) {
    close(stream.current);
    close(stream.previous);
  }

  /** Frees what was not taken of a window; null is no window. */
  private void close(StreamWindow window) {
    if (window == null) {
      return;
    }
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
