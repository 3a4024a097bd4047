package org.weft.osd.store;

import org.weft.protocol.id.ObjectName;

/**
 * A block that the medium does not give back as it was written.
 *
 * @param block number in the object
 * @param kept not the object's now, but what a pending write keeps, so that it can be undone
 */
public record BadBlock(ObjectName object, long block, boolean kept) {
  @Override
  public String toString() {
    return "block " + block + " of object " + object + (kept ? ", kept by a pending write" : "");
  }
}
