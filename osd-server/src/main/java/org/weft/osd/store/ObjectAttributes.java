package org.weft.osd.store;

import java.util.List;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.ObjectTag;

/**
 * An object without its bytes.
 *
 * @param pages those asked for that exist, by number
 * @param usedBytes space of its blocks
 * @param componentBytes end of its last stored byte
 * @param pending some of its writes are not known to be complete (P 5.4)
 */
public record ObjectAttributes(
    List<AttributeValue> pages,
    ObjectTag tag,
    long eofBytes,
    int truncationNumber,
    long version,
    long usedBytes,
    long componentBytes,
    boolean pending) {}
