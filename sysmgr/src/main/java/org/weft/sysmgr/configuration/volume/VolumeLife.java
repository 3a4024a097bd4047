package org.weft.sysmgr.configuration.volume;

import java.util.Optional;
import org.weft.protocol.id.PartitionId;

/**
 * The stage of a volume, and the operation that brought it there.
 *
 * @param parent the volume whose directory holds its entry; empty for the root volume
 * @param operation number of its creation or deletion, under way or the last one; 0: none
 * @param nonce drawn by the client that asked for it last
 */
public record VolumeLife(
    VolumeStage stage, Optional<PartitionId> parent, long operation, long nonce) {
  /** Of the root volume, which is there from the beginning. */
  static final VolumeLife ROOT = new VolumeLife(VolumeStage.ACTIVE, Optional.empty(), 0, 0);

  /** The operation has come to that stage. */
  public VolumeLife at(VolumeStage next) {
    return new VolumeLife(next, parent, operation, nonce);
  }

  /** A client asked for the same once more, with that nonce. */
  public VolumeLife askedAgain(long newNonce) {
    return new VolumeLife(stage, parent, operation, newNonce);
  }

  /** Another operation begins. */
  public VolumeLife begun(VolumeStage next, long newOperation, long newNonce) {
    return new VolumeLife(next, parent, newOperation, newNonce);
  }
}
