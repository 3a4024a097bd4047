package org.weft.osd.store.engine.state;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.osd.store.space.BlockSpace;
import org.weft.osd.store.space.Pins;
import org.weft.protocol.seam.KeyValueStore;

/**
 * The parts of an open store that its packages share.
 *
 * @param reserveBlocks kept back from clients' writes
 * @param windowBlocks how many blocks the pending list keeps for one grant on one object
 * @param cache objects that were read or written lately
 * @param absent objects that are certain not to be there; the committer's
 * @param handles the next handle to give
 * @param objects how many there are
 * @param storedBlocks how many blocks extents lead to
 * @param givenBack handles of objects to which this start, or one before it, gave older bytes back;
 *     some of them may be gone
 */
public record StoreState(
    KeyValueStore values,
    Segments segments,
    BlockSpace space,
    Pins pins,
    PartitionTable partitions,
    Health health,
    long reserveBlocks,
    long windowBlocks,
    ObjectCache cache,
    AbsentObjects absent,
    AtomicLong handles,
    AtomicLong objects,
    AtomicLong storedBlocks,
    Set<Long> givenBack) {}
