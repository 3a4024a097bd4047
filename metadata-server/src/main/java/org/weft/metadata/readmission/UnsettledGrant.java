package org.weft.metadata.readmission;

import java.util.Objects;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;

/**
 * A write grant that has ended, while what was written under it may still be lost with an OSD's
 * power (P 5.9).
 *
 * @param map where the file was when the grant was made
 */
public record UnsettledGrant(Lsn number, ObjectId object, StorageMap map) {
  public UnsettledGrant {
    Objects.requireNonNull(number, "number");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(map, "map");
  }
}
