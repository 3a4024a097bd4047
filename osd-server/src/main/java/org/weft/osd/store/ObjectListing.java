package org.weft.osd.store;

import java.util.List;
import org.weft.protocol.id.ObjectId;

/** Objects of a partition, ascending as unsigned numbers. */
public record ObjectListing(List<ObjectId> objects, boolean more) {}
