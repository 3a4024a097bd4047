package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * REMOVE: frees the object and leaves a tombstone, also where there is no object (P 6.6). The
 * receipt says whether there was one. Fails with EXISTS, NO_SUCH_PARTITION or FENCED. FENCED means
 * an epoch below the fence, or an LSN below the object's version. The caller that raised the
 * version since counts on the object.
 *
 * @param lsn of the unlink; a larger tombstone stays
 * @param createFloor raises the partition's floor; 0 leaves it
 * @param onlyIfAbsent refused with EXISTS where there is an object: it shuts creations out, and
 *     never takes away what one of them has made
 */
public record ObjectRemoval(
    ObjectName name,
    Authority authority,
    long lsn,
    long createFloor,
    boolean onlyIfAbsent,
    boolean durable)
    implements Mutation {
  @Override
  public MutationKind kind() {
    return MutationKind.REMOVAL;
  }
}
