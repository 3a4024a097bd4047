package org.weft.osd.store;

import java.util.List;
import org.weft.osd.store.value.Stamp;

/**
 * The last write ids of a range, in order; blocks that are not stored have none.
 *
 * @param pending a write in the range is not known to be complete
 */
public record Stamps(List<Stamp> stamps, boolean pending) {}
