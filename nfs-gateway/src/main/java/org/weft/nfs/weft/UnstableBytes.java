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

  private static final int MAX_COMMITS = 16;

  /** Counted bytes of a file, and the writes that they cover. */
  private static final class Counted {
    private long bytes;
    private long writes;
    private boolean committing;
  }

  private final long limitBytes;
  private final Map<NodeId, Counted> files = new LinkedHashMap<>();
  private long allBytes;

  UnstableBytes(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Counts a write in; false if there is no room, and it must be stable. */
  synchronized boolean take(NodeId file, int bytes) {
    if (allBytes >= limitBytes) {
      return false;
    }
    Counted counted = files.computeIfAbsent(file, each -> new Counted());
    long next = Math.min(MAX_OF_FILE, counted.bytes + bytes);
    allBytes += next - counted.bytes;
    counted.bytes = next;
    counted.writes++;
    return true;
  }

  /** Which writes a commit that begins now covers. */
  synchronized long writes(NodeId file) {
    Counted counted = files.get(file);
    return counted == null ? 0 : counted.writes;
  }

  /** All is on stable storage that was counted before the commit began. */
  synchronized void committed(NodeId file, long writes) {
    Counted counted = files.get(file);
    if (counted != null && counted.writes == writes) {
      files.remove(file);
      allBytes -= counted.bytes;
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
