package org.weft.sysmgr.configuration.node;

import java.util.List;

/**
 * The past of a data directory, as a node that joins states it (P 5.10).
 *
 * @param startId drawn by the process; 0: the node is of an older release and says nothing
 * @param knownStarts that its data directory remembers
 * @param checkpoint the last durable one that an OSD's directory held when it was opened
 * @param change the number of the last change that the directory held when it was opened
 */
public record StartProof(long startId, List<Long> knownStarts, long checkpoint, long change) {
  /** Of a node of an older release. */
  public static final StartProof NONE = new StartProof(0, List.of(), 0, 0);

  public StartProof {
    knownStarts = List.copyOf(knownStarts);
  }

  /** What is known of this start once it is let in. */
  public NodeHistory history() {
    return new NodeHistory(startId, checkpoint, change);
  }
}
