package org.weft.sysmgr.configuration.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * What is remembered of volumes beyond their rows.
 *
 * @param lastVolumeId ids up to here have been given out; never given again
 * @param lastOperation like lastVolumeId, of creations and deletions
 * @param ended those that ended last, the newest last
 * @param placement which managers are to serve them
 */
public record VolumeHistory(
    long lastVolumeId, long lastOperation, List<EndedOperation> ended, PlacementOrders placement) {
  /** Most ended operations that are remembered. */
  public static final int MAX_ENDED = 64;

  /** Before any volume is made but the root volume. */
  static final VolumeHistory EMPTY =
      new VolumeHistory(Volume.ROOT.value(), 0, List.of(), PlacementOrders.NONE);

  public VolumeHistory {
    ended = List.copyOf(ended);
  }

  /** The operation that a client asked for with this nonce, if it ended not long ago. */
  public Optional<EndedOperation> endedByNonce(long nonce) {
    return find(operation -> operation.nonce() == nonce);
  }

  /** The operation of that number, if it ended not long ago. */
  public Optional<EndedOperation> endedByNumber(long number) {
    return find(operation -> operation.operation() == number);
  }

  private Optional<EndedOperation> find(Predicate<EndedOperation> wanted) {
    return ended.stream().filter(wanted).findFirst();
  }

  /** With these as the last numbers that were given out. */
  public VolumeHistory issued(long volumeId, long operation) {
    return new VolumeHistory(volumeId, operation, ended, placement);
  }

  /** That operation ended; the oldest one may be forgotten. */
  public VolumeHistory with(EndedOperation operation) {
    List<EndedOperation> next = new ArrayList<>(ended);
    next.add(operation);
    return new VolumeHistory(
        lastVolumeId,
        lastOperation,
        next.subList(Math.max(0, next.size() - MAX_ENDED), next.size()),
        placement);
  }

  /** With another placement. */
  public VolumeHistory with(PlacementOrders next) {
    return new VolumeHistory(lastVolumeId, lastOperation, ended, next);
  }
}
