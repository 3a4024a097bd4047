package org.weft.osd.store;

/**
 * A mutation was committed, or had been before.
 *
 * @param pendingCheckpoint the checkpoint that will cover it, or already did
 * @param durableCheckpoint the last one on stable storage
 * @param skipped blocks or pages that were newer here
 * @param existed for a removal: there was an object
 * @param inForce for VersionRaise the object's version, for fences the partition's epoch; else 0
 * @param resumeBlock for a BlockRelease the block that its next part begins at; 0: it is done
 */
public record Receipt(
    long pendingCheckpoint,
    long durableCheckpoint,
    int skipped,
    boolean existed,
    long inForce,
    long resumeBlock) {}
