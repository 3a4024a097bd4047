package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.ObjectName;

/**
 * What an XOR brings to one component (P 5.3): the new bytes of a data unit, or the δ of a parity.
 *
 * @param bytes at least one
 * @param numbers one number
 * @param length file length that this write establishes
 */
public record XorWrite(
    ObjectName name,
    Authority authority,
    ByteSpan bytes,
    WriteNumbers numbers,
    FileLength length,
    boolean durable) {
  /** With {@link #sequence}, the id of the write. */
  public long grant() {
    return authority.grant();
  }

  /** Its one number. */
  public long sequence() {
    return numbers.first();
  }
}
