package org.weft.nfs.weft;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.weft.client.UpdateOptions;
import org.weft.client.gather.GatherLimits;
import org.weft.client.ids.NodeId;

/**
 * Bounds how many bytes of all files may lie in memory that were answered UNSTABLE. The count is an
 * upper bound, since bytes that were sent without a commit count until the next commit.
 * Thread-safe.
 */
final class UnstableBytes {
  /**
   * Of one file no more is gathered, or kept, before its writers wait. The greater of both counts:
   * a stream has one or the other, and what is kept lies in memory that {@code nfs.memory} bounds
   * as well. With the sum, six streams at a time would be committed all the time.
   */
  static final long MAX_OF_FILE =
      Math.max(UpdateOptions.DEFAULT_GATHER_BYTES, GatherLimits.USUAL_KEPT_BYTES);

  /** An open file takes memory of its own, also if its writes have no bytes. */
  static final long MIN_OF_FILE = 4_096;

  private static final int MAX_COMMITS = 16;

  /** Counted bytes of a file, and its last write. */
  private static final class Counted {
    private long bytes;
    private long lastWrite;
    private boolean committing;

    private long held() {
      return Math.max(MIN_OF_FILE, bytes);
    }
  }

  private final long limitBytes;
  private final Map<NodeId, Counted> files = new LinkedHashMap<>();
  private long allBytes;

  /** Of all files: a file that is counted anew begins with no number that it had before. */
  private long lastWrite;

  UnstableBytes(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Counts a write in; false if there is no room, and it must be stable. */
  synchronized boolean take(NodeId file, int bytes) {
    if (allBytes >= limitBytes) {
      return false;
    }
    Counted counted = files.get(file);
    if (counted == null) {
      counted = new Counted();
      files.put(file, counted);
      allBytes += counted.held();
    }
    allBytes -= counted.held();
    counted.bytes = Math.min(MAX_OF_FILE, counted.bytes + bytes);
    allBytes += counted.held();
    counted.lastWrite = ++lastWrite;
    return true;
  }

  /** The last write that a commit that begins now covers; 0: none. */
  synchronized long writes(NodeId file) {
    Counted counted = files.get(file);
    return counted == null ? 0 : counted.lastWrite;
  }

  /** All is on stable storage that was counted before the commit began. */
  synchronized void committed(NodeId file, long lastCovered) {
    Counted counted = files.get(file);
    if (counted != null && counted.lastWrite == lastCovered) {
      files.remove(file);
      allBytes -= counted.held();
    }
  }

  /** Files to be committed, since half of the room is taken: those that began first. */
  synchronized List<NodeId> oldest() {
    List<NodeId> oldest = new ArrayList<>();
    if (allBytes < limitBytes / 2) {
      return oldest;
    }
    for (Map.Entry<NodeId, Counted> each : files.entrySet()) {
      if (oldest.size() == MAX_COMMITS) {
        break;
      }
      if (!each.getValue().committing) {
        each.getValue().committing = true;
        oldest.add(each.getKey());
      }
    }
    return oldest;
  }

  /** The commit of an old file has ended, well or badly. */
  synchronized void ended(NodeId file) {
    Counted counted = files.get(file);
    if (counted != null) {
      counted.committing = false;
    }
  }

  synchronized long bytes() {
    return allBytes;
  }
}
