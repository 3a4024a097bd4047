package org.weft.osd.store;

import java.util.Optional;
import org.weft.osd.store.value.Delta;

/**
 * The result of a mutation that was committed, now or before.
 *
 * @param pendingCheckpoint the checkpoint that will cover it, or already did
 * @param durableCheckpoint the last one on stable storage
 * @param skipped blocks or pages that were newer here
 * @param existed for a removal: there was an object; for an abort: the write was there
 * @param inForce for VersionRaise the object's version, for fences the partition's epoch; else 0
 * @param resumeBlock for a BlockRelease the block that its next part begins at; 0: it is done
 * @param delta for an XorExchange, unless its id was complete before: then there is nothing left to
 *     apply
 */
public record Receipt(
    long pendingCheckpoint,
    long durableCheckpoint,
    int skipped,
    boolean existed,
    long inForce,
    long resumeBlock,
    Optional<Delta> delta) {}
