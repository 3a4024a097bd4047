package org.weft.osd.store;

import java.util.Comparator;
import org.weft.protocol.id.ObjectName;

/**
 * A block that the medium does not give back as it was written.
 *
 * @param block number in the object
 * @param kept not the object's now, but what a pending write keeps, so that it can be undone
 */
public record BadBlock(ObjectName object, long block, boolean kept) {
  /** By object, and by block in the object. */
  public static final Comparator<BadBlock> BY_PLACE =
      Comparator.comparing((BadBlock each) -> each.object().object())
          .thenComparingLong(BadBlock::block);

  @Override
  public String toString() {
    return "block " + block + " of object " + object + (kept ? ", kept by a pending write" : "");
  }
}
