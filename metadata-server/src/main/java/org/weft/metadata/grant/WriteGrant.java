package org.weft.metadata.grant;

import java.util.Objects;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.StorageMap;

/**
 * The right of one client to write one file.
 *
 * @param number LSN of the record that made it
 * @param first the first of the grants that this one continues without components that its writer
 *     lost (P 5.8); else the number itself
 * @param map where the file was when the grant was made
 * @param resolving its writer is gone: nothing is written under it any more, and its pending writes
 *     are to be decided before it ends (P 5.5)
 */
public record WriteGrant(
    Lsn number,
    Lsn first,
    ObjectId object,
    SessionId session,
    StorageMap map,
    long sinceMillis,
    String clientName,
    boolean resolving) {
  public WriteGrant {
    Objects.requireNonNull(number, "number");
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(session, "session");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(clientName, "clientName");
  }

  WriteGrant toResolving() {
    return new WriteGrant(number, first, object, session, map, sinceMillis, clientName, true);
  }
}
