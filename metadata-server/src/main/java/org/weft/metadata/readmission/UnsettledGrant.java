package org.weft.metadata.readmission;

import java.util.Objects;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;

/**
 * A write grant that has ended, while what was written under it may still be lost with an OSD's
 * power (P 5.9).
 *
 * @param map where the file was when the grant was made
 * @param suspects OSDs that lost power since it began, and whose components are taken as they are
 */
public record UnsettledGrant(Lsn number, ObjectId object, StorageMap map, SuspectOsds suspects) {
  public UnsettledGrant {
    Objects.requireNonNull(number, "number");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(suspects, "suspects");
  }

  UnsettledGrant suspecting(SuspectOsds now) {
    return new UnsettledGrant(number, object, map, now);
  }
}
