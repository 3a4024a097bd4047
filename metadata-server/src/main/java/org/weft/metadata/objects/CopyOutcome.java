package org.weft.metadata.objects;

import org.weft.protocol.rpc.RpcException;

/**
 * What an OSD says of one {@link CopyWrite}.
 *
 * @param refusal null if it was taken, or was there already
 * @param pendingCheckpoint the checkpoint that makes it durable
 */
public record CopyOutcome(RpcException refusal, long pendingCheckpoint) {
  /** It was taken, or was there already; durable with that checkpoint. */
  public static CopyOutcome taken(long pendingCheckpoint) {
    return new CopyOutcome(null, pendingCheckpoint);
  }

  /** It was not taken, and why. */
  public static CopyOutcome refused(RpcException refusal) {
    return new CopyOutcome(refusal, 0);
  }
}
