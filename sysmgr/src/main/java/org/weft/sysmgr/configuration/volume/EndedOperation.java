package org.weft.sysmgr.configuration.volume;

import java.util.Optional;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;

/**
 * How the creation or deletion of a volume ended.
 *
 * @param failure why nothing came of it; empty if it was carried out
 * @param nonce drawn by the client that asked for it last
 * @param endedMillis wall time, to show
 */
public record EndedOperation(
    long operation,
    PartitionId volume,
    String path,
    boolean deletion,
    Optional<Failure> failure,
    long nonce,
    long endedMillis) {
  /** What was wrong. */
  public record Failure(ErrorCode code, String message) {}
}
