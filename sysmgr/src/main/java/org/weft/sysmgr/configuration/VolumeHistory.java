package org.weft.sysmgr.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What is remembered of volumes beyond their rows.
 *
 * @param lastVolumeId ids up to here have been given out; never given again
 * @param lastOperation like lastVolumeId, of creations and deletions
 * @param ended those that ended last, the newest last
 * @param placement which managers are to serve them
 */
public record VolumeHistory(
    long lastVolumeId, long lastOperation, List<EndedOperation> ended, Placement placement) {
  static final int MAX_ENDED = 64;
  static final VolumeHistory EMPTY =
      new VolumeHistory(Volume.ROOT.value(), 0, List.of(), Placement.NONE);

  public VolumeHistory {
    ended = List.copyOf(ended);
  }

  /** The operation that a client asked for with this nonce, if it ended not long ago. */
  public Optional<EndedOperation> endedByNonce(long nonce) {
    return find(operation -> operation.nonce() == nonce);
  }

  Optional<EndedOperation> endedByNumber(long number) {
    return find(operation -> operation.operation() == number);
  }

  private Optional<EndedOperation> find(Predicate<EndedOperation> wanted) {
    return ended.stream().filter(wanted).findFirst();
  }

  VolumeHistory issued(long volumeId, long operation) {
    return new VolumeHistory(volumeId, operation, ended, placement);
  }

  VolumeHistory with(EndedOperation operation) {
    List<EndedOperation> next = new ArrayList<>(ended);
    next.add(operation);
    return new VolumeHistory(
        lastVolumeId,
        lastOperation,
        next.subList(Math.max(0, next.size() - MAX_ENDED), next.size()),
        placement);
  }

  VolumeHistory with(Placement next) {
    return new VolumeHistory(lastVolumeId, lastOperation, ended, next);
  }
}
