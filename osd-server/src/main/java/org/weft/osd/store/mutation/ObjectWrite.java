package org.weft.osd.store.mutation;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.id.ObjectName;

/**
 * WRITE: a run of consecutive stripes of one component (P 5.3). Executed at most once: a run whose
 * ids are complete, or in the pending list, is answered and not executed again (P 5.4).
 *
 * <p>A client's write that carries bytes leaves a record in the pending list, in the same commit as
 * its extents; what it overwrote is kept until the write is complete or aborted.
 *
 * <p>Fails with NO_SUCH_OBJECT (absent, and no {@code create}), TOMBSTONE (creation by a grant
 * below the tombstone or the partition's floor), FENCED (grant below the object's version, or
 * truncation number below the object's), WRITE_ABORTED, BUSY (a block of the range belongs to
 * another write that is not complete, or the grant keeps too much: send completions first),
 * BAD_CHECKSUM (nothing is written), BAD_MEDIA (old bytes of a partly written block are damaged),
 * NO_SPACE.
 *
 * @param data goes to {@code offsetBytes}; may be empty, which creates the component and sets eof
 * @param blockCrcs CRC32C of the bytes sent of each 4 KiB block touched
 * @param firstSequence of {@code sequenceCount} consecutive numbers, one for each stripe unit
 *     touched
 * @param participants indexes of the components that the write goes to
 * @param eofBytes file length that this write establishes
 * @param truncationNumber that {@code eofBytes} belongs to; a larger one than stored replaces both
 * @param completeUpTo every number of this grant up to here is complete
 * @param create makes the object if it is absent: the caller has found the right to
 * @param lost it is not known what these whole blocks must hold: they read as damaged from now on,
 *     and the bytes are zeros; a manager's alone (P 5.9)
 * @param initialAttributes stored where the object is made here, or where that page is still absent
 */
public record ObjectWrite(
    ObjectName name,
    Authority authority,
    long offsetBytes,
    List<ByteBuffer> data,
    int[] blockCrcs,
    long firstSequence,
    int sequenceCount,
    List<Integer> participants,
    long eofBytes,
    int truncationNumber,
    long completeUpTo,
    Optional<ObjectTag> create,
    Optional<AttributeValue> initialAttributes,
    boolean durable,
    boolean lost)
    implements Mutation {
  public ObjectWrite {
    data = List.copyOf(data);
    participants = List.copyOf(participants);
  }

  /** A write of known bytes. */
  public ObjectWrite(
      ObjectName name,
      Authority authority,
      long offsetBytes,
      List<ByteBuffer> data,
      int[] blockCrcs,
      long firstSequence,
      int sequenceCount,
      List<Integer> participants,
      long eofBytes,
      int truncationNumber,
      long completeUpTo,
      Optional<ObjectTag> create,
      Optional<AttributeValue> initialAttributes,
      boolean durable) {
    this(
        name,
        authority,
        offsetBytes,
        data,
        blockCrcs,
        firstSequence,
        sequenceCount,
        participants,
        eofBytes,
        truncationNumber,
        completeUpTo,
        create,
        initialAttributes,
        durable,
        false);
  }
}
