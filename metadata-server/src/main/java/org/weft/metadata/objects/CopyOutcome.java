package org.weft.metadata.objects;

import org.weft.protocol.error.WeftException;

/**
 * What an OSD says of one {@link CopyWrite}.
 *
 * @param refusal null if it was taken, or was there already
 * @param pendingCheckpoint the checkpoint that makes it durable
 */
public record CopyOutcome(WeftException refusal, long pendingCheckpoint) {
  /** It was taken, or was there already; durable with that checkpoint. */
  public static CopyOutcome taken(long pendingCheckpoint) {
    return new CopyOutcome(null, pendingCheckpoint);
  }

  /** It was not taken, and why. */
  public static CopyOutcome refused(WeftException refusal) {
    return new CopyOutcome(refusal, 0);
  }
}
