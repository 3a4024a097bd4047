package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.protocol.id.ObjectName;

/**
 * What a mutation touches that a thread which must not wait may perhaps commit.
 *
 * @param lengthBytes from {@code offsetBytes} on; 0: no bytes
 * @param mayReplace whole blocks may take the place of others, whatever is stored there
 */
public record InlineReach(
    ObjectName name, Authority authority, long offsetBytes, int lengthBytes, boolean mayReplace) {
  static InlineReach of(ObjectName name, Authority authority, ByteSpan bytes, boolean mayReplace) {
    return new InlineReach(name, authority, bytes.offsetBytes(), bytes.lengthBytes(), mayReplace);
  }
}
