package org.weft.metadata.objects;

import java.util.Objects;
import org.weft.protocol.id.Lsn;

/**
 * The round and the create floor as of which something is written to copies. An OSD that has
 * forgotten tombstones because of a later round creates no object for an earlier one. It may have
 * been given up long ago, and the object may have been removed since (P 6.6).
 *
 * @param round the last one that had been planned; whatever was removed later leaves in a later one
 * @param createFloor the partition's as of then; {@link Lsn#ZERO} leaves it
 */
public record FlushStamp(long round, Lsn createFloor) {
  public FlushStamp {
    Objects.requireNonNull(createFloor, "createFloor");
  }

  /** The same without the floor, for a request that does not rest on it. */
  public FlushStamp withoutFloor() {
    return new FlushStamp(round, Lsn.ZERO);
  }
}
