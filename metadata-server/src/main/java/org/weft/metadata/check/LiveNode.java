package org.weft.metadata.check;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;

/**
 * Live state of one object at one moment, as the manager holds it.
 *
 * @param removed a record has removed it, and its copies may be there still
 * @param orphan it has no name, and lives until its last reader or writer ends
 * @param busy it is being written, or the writes of lost writers or power losses are not resolved
 *     yet. Its components may then differ from its attributes
 * @param damaged it is named as having lost bytes; it is busy, too
 * @param openings write grants that were opened since it is watched
 * @param lagging OSDs whose copy is known to be out of date, or is to be removed
 * @param beingMade OSDs that a component is being rebuilt on
 */
public record LiveNode(
    boolean removed,
    boolean orphan,
    boolean busy,
    boolean damaged,
    int openings,
    SortedSet<OsdId> lagging,
    SortedSet<OsdId> beingMade) {
  public LiveNode {
    lagging = Collections.unmodifiableSortedSet(new TreeSet<>(lagging));
    beingMade = Collections.unmodifiableSortedSet(new TreeSet<>(beingMade));
  }

  /** What the OSD has of the object is explained, whatever it is. */
  boolean explains(OsdId osd) {
    return lagging.contains(osd) || beingMade.contains(osd);
  }
}
