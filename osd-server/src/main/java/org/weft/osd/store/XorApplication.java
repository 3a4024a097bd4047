package org.weft.osd.store;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.id.ObjectName;

/**
 * XOR_WRITE: a δ is XORed onto whole blocks (P 5.3), at most once whatever is sent again and
 * whatever crashes in between: an id in the pending list or complete is answered only (P 5.4).
 * Several ids may be pending on one block, for XOR commutes.
 *
 * <p>The old blocks are verified first, and each new checksum must be crc(old) ⊕ crc(δ) ⊕ crc(0) (P
 * 5.2). The δ is kept in blocks of its own until the write is complete: it undoes the write, and
 * another component may need it.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED, WRITE_ABORTED, BUSY (a block belongs to a pending stripe
 * write, or the grant keeps too much), BAD_CHECKSUM (of the δ; nothing is written), BAD_MEDIA (an
 * old block is damaged), NO_SPACE, INVALID_ARGUMENT.
 *
 * @param offsetBytes a multiple of 4 KiB
 * @param data whole blocks, at least one
 * @param blockCrcs CRC32C of each block of the δ
 * @param participants indexes of the components that the write goes to
 * @param eofBytes file length that this write establishes
 * @param completeUpTo every number of this grant up to here is complete
 */
public record XorApplication(
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
  public XorApplication {
    data = List.copyOf(data);
    participants = List.copyOf(participants);
  }
}
