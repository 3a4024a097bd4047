package org.weft.osd.store;

import org.weft.protocol.id.ObjectName;

/**
 * READ of a range, which is widened to whole blocks.
 *
 * @param lengthBytes at most {@value #MAX_BYTES}
 * @param withStamps also report the last write ids of the range (P 5.6)
 */
public record ObjectRead(
    ObjectName name, Authority authority, long offsetBytes, int lengthBytes, boolean withStamps) {
  public static final int MAX_BYTES = 16 << 20;
}
