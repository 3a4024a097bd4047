package org.weft.sysmgr.configuration;

import java.util.Optional;
import org.weft.protocol.id.PartitionId;

/**
 * Where a volume stands, and the operation that brought it there.
 *
 * @param parent the volume whose directory holds its entry; empty for the root volume
 * @param operation number of its creation or deletion, under way or the last one; 0: none
 * @param nonce drawn by the client that asked for it last
 */
public record VolumeLife(
    VolumeStage stage, Optional<PartitionId> parent, long operation, long nonce) {
  static final VolumeLife ROOT = new VolumeLife(VolumeStage.ACTIVE, Optional.empty(), 0, 0);

  VolumeLife at(VolumeStage next) {
    return new VolumeLife(next, parent, operation, nonce);
  }

  VolumeLife askedAgain(long newNonce) {
    return new VolumeLife(stage, parent, operation, newNonce);
  }

  VolumeLife begun(VolumeStage next, long newOperation, long newNonce) {
    return new VolumeLife(next, parent, newOperation, newNonce);
  }
}
