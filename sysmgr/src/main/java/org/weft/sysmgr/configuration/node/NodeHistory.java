package org.weft.sysmgr.configuration.node;

/**
 * The figures heard of the last start of a node that was let in (P 5.10). A data directory that
 * lacks some of it is an old copy.
 *
 * @param startId drawn by the process; 0: nothing is known
 * @param checkpoint the largest durable one that an OSD told
 * @param change the largest number of a change that the node told
 * @param restored it is from a copy of the configuration: other starts may have been let in since,
 *     but none that had less
 */
public record NodeHistory(long startId, long checkpoint, long change, boolean restored) {
  public static final NodeHistory NONE = new NodeHistory(0, 0, 0);

  public NodeHistory(long startId, long checkpoint, long change) {
    this(startId, checkpoint, change, false);
  }

  /** The last start is known. */
  public boolean isKnown() {
    return startId != 0 && !restored;
  }

  /** Something is known, be it of an earlier start. */
  public boolean isBound() {
    return startId != 0;
  }

  /** As it is believed once it was read from a copy. */
  public NodeHistory fromCopy() {
    return new NodeHistory(startId, checkpoint, change, true);
  }

  /** With what was heard elsewhere, if that is of the same start. */
  public NodeHistory with(NodeHistory other) {
    return other.startId != startId
        ? this
        : new NodeHistory(
            startId,
            Math.max(checkpoint, other.checkpoint),
            Math.max(change, other.change),
            restored && other.restored);
  }
}
