package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * TRUNCATE: whole blocks from a length on are removed, if their write id is not larger than this
 * one's. So a late duplicate never cuts what was written since (P 4.3). Several mutations cut a
 * long component, each where the last one's receipt tells it to resume. Stopping between them
 * leaves only blocks that the same truncation, repeated, takes away.
 *
 * <p>The file length and the truncation number become these, as a write's do. The component ends at
 * the length if it ended behind it and no newer block is left there.
 *
 * <p>An id that is complete is answered and not executed. Fails with NO_SUCH_OBJECT, FENCED (grant
 * below the object's version), INVALID_ARGUMENT.
 *
 * @param lengthBytes a multiple of 4 KiB
 * @param eofBytes file length that the truncation establishes
 * @param truncationNumber that {@code eofBytes} belongs to; a smaller one than stored leaves eof
 *     alone
 * @param completeUpTo every number of this grant up to here is complete
 * @param resumeBlock 0, or what the receipt of the part before said
 */
public record ObjectTruncation(
    ObjectName name,
    Authority authority,
    long lengthBytes,
    long eofBytes,
    int truncationNumber,
    long sequence,
    long completeUpTo,
    long resumeBlock,
    boolean durable)
    implements BlockRelease {
  @Override
  public ObjectTruncation resumedAt(long block) {
    return new ObjectTruncation(
        name,
        authority,
        lengthBytes,
        eofBytes,
        truncationNumber,
        sequence,
        completeUpTo,
        block,
        durable);
  }
}
