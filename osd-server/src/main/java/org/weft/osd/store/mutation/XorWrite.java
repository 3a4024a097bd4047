package org.weft.osd.store.mutation;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * What an XOR brings to one component (P 5.3): the new bytes of a data unit, or the δ of a parity.
 *
 * @param data at least one byte
 * @param blockCrcs CRC32C of the bytes sent of each 4 KiB block touched
 * @param participants indexes of the components that the write goes to
 * @param eofBytes file length that this write establishes
 * @param completeUpTo every number of this grant up to here is complete
 */
public record XorWrite(
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
    boolean durable) {
  public XorWrite {
    data = List.copyOf(data);
    participants = List.copyOf(participants);
  }

  /** The id of the write is the grant's with this. */
  public long grant() {
    return authority.grant();
  }
}
