package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * ABORT: a pending write is undone, and its id refused with WRITE_ABORTED should it arrive (again)
 * later (P 5.4). What a stripe or data unit overwrote comes back, holes too, and a δ is XORed off
 * again. The file length is as if the write had not been. The receipt's {@code existed} says
 * whether the write was there. An id that was aborted before is answered.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED or NO_SPACE. Fails with INVALID_ARGUMENT if the id is
 * complete, or the run is not the one that was written. Fails with BAD_MEDIA if a block that a δ
 * has to come off is damaged.
 *
 * @param authority its grant is the write's
 * @param firstSequence as in the write: a run is undone as a whole
 */
public record WriteAbort(
    ObjectName name, Authority authority, long firstSequence, int sequenceCount, boolean durable)
    implements Mutation {
  @Override
  public MutationKind kind() {
    return MutationKind.ABORT;
  }
}
