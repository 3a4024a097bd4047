package org.weft.osd.store;

import org.weft.protocol.id.ObjectName;

/**
 * REMOVE: frees the object and leaves a tombstone, also where there is no object (P 6.6). The
 * receipt says whether there was one. Fails with FENCED or NO_SUCH_PARTITION.
 *
 * @param lsn of the unlink; a larger tombstone stays
 * @param createFloor raises the partition's floor; 0 leaves it
 */
public record ObjectRemoval(
    ObjectName name, Authority authority, long lsn, long createFloor, boolean durable)
    implements Mutation {}
