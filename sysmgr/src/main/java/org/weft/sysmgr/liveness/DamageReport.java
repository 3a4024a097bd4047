package org.weft.sysmgr.liveness;

import org.weft.protocol.wire.DamageState;

/**
 * What a manager says of blocks of a volume that OSDs do not give back as they were written, since
 * it serves the volume (P 6.8b). Blocks of 4 KiB.
 *
 * @param found each counted once
 * @param repaired of them
 * @param waiting that are bad now, and are to be repaired
 * @param hopeless that are bad now, and cannot be repaired
 */
public record DamageReport(long found, long repaired, long waiting, long hopeless) {
  /** As it came. */
  public static DamageReport of(DamageState state) {
    return new DamageReport(
        state.getBlocksFound(),
        state.getBlocksRepaired(),
        state.getBlocksWaiting(),
        state.getBlocksHopeless());
  }

  /** As managers say it. */
  public DamageState toMessage() {
    return DamageState.newBuilder()
        .setBlocksFound(found)
        .setBlocksRepaired(repaired)
        .setBlocksWaiting(waiting)
        .setBlocksHopeless(hopeless)
        .build();
  }
}
