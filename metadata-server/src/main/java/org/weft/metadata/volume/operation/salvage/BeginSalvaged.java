package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.volume.FormatVolume;
import org.weft.metadata.volume.state.Counters;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e): what of a volume's live
 * state can be said without its journal. Numbers begin far above everything that any OSD has; NFS
 * handles get another key, so that those of before are stale.
 *
 * @param lastObject the largest number of an object on any OSD
 * @param nodes how many were found
 * @param root false: no OSD has the root directory; an empty one is made
 */
public record BeginSalvaged(ObjectId lastObject, long nodes, boolean root) implements Operation {
  /** Numbers that were given out and never reached an OSD are not given out again (P 6.6). */
  public static final long OBJECTS_LEFT_OUT = 1L << 32;

  private static final int SESSIONS_OF_EPOCH_BITS = 32;

  @Override
  public MessageLite execute(Execution on) throws WeftException {
    FormatVolume.created(on);
    Counters counters = on.counters();
    long epoch = on.draft().lsn().epoch();
    counters.beginAt(lastObject.value() + OBJECTS_LEFT_OUT, epoch << SESSIONS_OF_EPOCH_BITS);
    counters.addFiles(nodes);
    counters.raiseCreateFloor(on.draft().lsn());
    counters.mayTellUpTo(on.dayNanos());
    if (!root) {
      FormatVolume.makeRoot(on);
    }
    return Empty.getDefaultInstance();
  }
}
