package org.weft.sysmgr.configuration;

/**
 * What has been heard of the last start of a node that was let in (P 5.10). A data directory that
 * lacks some of it is an old copy.
 *
 * @param startId drawn by the process; 0: nothing is known
 * @param checkpoint the largest durable one that an OSD told
 * @param change the largest number of a change that the node told
 */
public record NodeHistory(long startId, long checkpoint, long change) {
  public static final NodeHistory NONE = new NodeHistory(0, 0, 0);

  public boolean isKnown() {
    return startId != 0;
  }

  /** With what was heard elsewhere, if that is of the same start. */
  public NodeHistory with(NodeHistory other) {
    return other.startId != startId
        ? this
        : new NodeHistory(
            startId, Math.max(checkpoint, other.checkpoint), Math.max(change, other.change));
  }
}
