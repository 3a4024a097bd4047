package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * PUNCH: gives back the space of whole blocks that hold zeros and have a write id not larger than
 * this one's. What the component reads as does not change: a block that holds anything else always
 * stays. A long range is punched by several mutations, as an {@link ObjectTruncation} is.
 *
 * <p>An id that is complete is answered and not executed. Fails with NO_SUCH_OBJECT, FENCED (grant
 * below the object's version), INVALID_ARGUMENT.
 *
 * @param offsetBytes a multiple of 4 KiB
 * @param lengthBytes a multiple of 4 KiB
 * @param completeUpTo every number of this grant up to here is complete
 * @param resumeBlock 0, or what the receipt of the part before said
 */
public record ObjectPunch(
    ObjectName name,
    Authority authority,
    long offsetBytes,
    long lengthBytes,
    long sequence,
    long completeUpTo,
    long resumeBlock)
    implements BlockRelease {
  @Override
  public boolean durable() {
    return false;
  }

  @Override
  public ObjectPunch resumedAt(long block) {
    return new ObjectPunch(
        name, authority, offsetBytes, lengthBytes, sequence, completeUpTo, block);
  }
}
