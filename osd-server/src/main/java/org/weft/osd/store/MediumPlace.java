package org.weft.osd.store;

import org.weft.protocol.id.ObjectName;

/**
 * How far a look at the medium has come: objects by name, and of the first one the pages of {@value
 * org.weft.osd.store.format.ExtentPage#BLOCKS} blocks.
 *
 * @param object the next to look at
 * @param page of its blocks, the first that was not looked at
 */
public record MediumPlace(ObjectName object, long page) {
  /** Before everything. */
  public static final MediumPlace START = new MediumPlace(ObjectName.of(0, 0), 0);
}
