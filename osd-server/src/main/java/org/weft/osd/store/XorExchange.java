package org.weft.osd.store;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.id.ObjectName;

/**
 * XOR_READ_WRITE: bytes take the place of a part of one data unit, and the receipt has old ⊕ new of
 * every block touched, for the parities (P 5.3). Executed at most once: an id that is pending is
 * answered with its δ, made again from the bytes it kept and its own; one that is complete is
 * answered without a δ, for its parities have theirs (P 5.4).
 *
 * <p>The old bytes stay until the write is complete or aborted; record, extents and mark change in
 * one commit, so that whoever has the δ knows the write to be there as durably as the receipt says.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED, WRITE_ABORTED, BUSY (a block belongs to a pending write of
 * another id, or the grant keeps too much: send completions first), BAD_CHECKSUM (nothing is
 * written), BAD_MEDIA (the old bytes are damaged), NO_SPACE, INVALID_ARGUMENT.
 *
 * @param data at least one byte; goes to {@code offsetBytes}
 * @param blockCrcs CRC32C of the bytes sent of each 4 KiB block touched
 * @param participants indexes of the components that the write goes to
 * @param eofBytes file length that this write establishes
 * @param completeUpTo every number of this grant up to here is complete
 */
public record XorExchange(
    ObjectName name,
    Authority authority,
    long offsetBytes,
    List<ByteBuffer> data,
    int[] blockCrcs,
    long sequence,
    List<Integer> participants,
    long eofBytes,
    int truncationNumber,
    long completeUpTo,
    boolean durable)
    implements Mutation {
  public XorExchange {
    data = List.copyOf(data);
    participants = List.copyOf(participants);
  }
}
