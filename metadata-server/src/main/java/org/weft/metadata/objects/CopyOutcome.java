package org.weft.metadata.objects;

import org.weft.protocol.rpc.RpcException;

/**
 * What an OSD says of one {@link CopyWrite}.
 *
 * @param refusal null if it was taken, or was there already
 * @param pendingCheckpoint the checkpoint that makes it durable
 */
public record CopyOutcome(RpcException refusal, long pendingCheckpoint) {
  static CopyOutcome taken(long pendingCheckpoint) {
    return new CopyOutcome(null, pendingCheckpoint);
  }

  static CopyOutcome refused(RpcException refusal) {
    return new CopyOutcome(refusal, 0);
  }
}
