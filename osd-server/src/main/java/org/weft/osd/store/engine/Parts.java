package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.space.BlockSpace;
import org.weft.osd.store.space.Pins;
import org.weft.protocol.seam.KeyValueStore;

/**
 * What the parts of an open store share.
 *
 * @param reserveBlocks kept back from clients' writes
 * @param windowBlocks how many blocks the pending list keeps for one grant on one object
 * @param pendingLists those of objects that are being written
 * @param cache objects that were read lately
 * @param handles the next handle to give
 * @param objects how many there are
 * @param storedBlocks how many blocks extents lead to
 */
record Parts(
    KeyValueStore values,
    Segments segments,
    BlockSpace space,
    Pins pins,
    PartitionTable partitions,
    Health health,
    long reserveBlocks,
    long windowBlocks,
    PendingLists pendingLists,
    ObjectCache cache,
    AtomicLong handles,
    AtomicLong objects,
    AtomicLong storedBlocks) {
  /** The object's pending list as committed. */
  PendingRecords pending(ObjectRecord record) throws IOException {
    PendingRecords known = record.hasPending() ? pendingLists.of(record) : PendingRecords.NONE;
    if (known != null) {
      return known;
    }
    Values committed = values::get;
    return committed.pending(record);
  }
}
