package org.weft.metadata.grant;

import java.util.Objects;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.StorageMap;

/**
 * The right of one client to write one file, alone or beside others that said that they share it (P
 * 6.5).
 *
 * @param number LSN of the record that made it
 * @param first the first of the grants that this one continues without components that its writer
 *     lost (P 5.8); else the number itself
 * @param map where the file was when the grant was made
 * @param shared others may write the file too, each within ranges of its own
 * @param suspects OSDs that lost power since, and whose components are taken as they are
 */
public record WriteGrant(
    Lsn number,
    Lsn first,
    ObjectId object,
    SessionId session,
    StorageMap map,
    long sinceMillis,
    String clientName,
    boolean shared,
    State state,
    SuspectOsds suspects) {
  /**
   * Stands in the place of a session. The grant is the manager's own, to resolve a file that was
   * closed, or to finish a truncation that its writer left.
   */
  public static final SessionId NO_SESSION = new SessionId(0);

  /** The state of a grant. */
  public enum State {
    /** Its holder writes under it. */
    HELD,
    /**
     * Another writer of the shared file died, or lost a component. OSDs refuse what this grant
     * still has under way, and its holder asks for another. What it owns stays its own meanwhile.
     */
    SUPERSEDED,
    /**
     * Its holder lost a component: it is fenced, what it left is being put in order, and then it is
     * as if superseded (P 5.8).
     */
    RENEWING,
    /**
     * Its writer is gone: nothing is written under it any more, and the file is to be put in order
     * before it ends.
     */
    RESOLVING
  }

  public WriteGrant {
    Objects.requireNonNull(number, "number");
    Objects.requireNonNull(first, "first");
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(session, "session");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(clientName, "clientName");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(suspects, "suspects");
  }

  /** Its writer is gone. */
  public boolean resolving() {
    return state == State.RESOLVING;
  }

  /** It lost a component, and is as good as superseded when the file is in order. */
  public boolean renewing() {
    return state == State.RENEWING;
  }

  /** What was written under it is to be put in order before the file is written again. */
  public boolean awaitsResolve() {
    return state == State.RESOLVING || state == State.RENEWING;
  }

  /** Its holder is to ask for another. */
  public boolean superseded() {
    return state == State.SUPERSEDED;
  }

  /** UNAVAILABLE: the file, or one of its grants, awaits what {@link #awaitsResolve} says. */
  public static WeftException beingResolved(ObjectId object) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "what was written last to object "
            + object
            + " is being resolved after one of its writers went away or lost a component; try"
            + " again");
  }

  WriteGrant in(State next) {
    return new WriteGrant(
        number, first, object, session, map, sinceMillis, clientName, shared, next, suspects);
  }

  WriteGrant movedTo(StorageMap now) {
    return new WriteGrant(
        number, first, object, session, now, sinceMillis, clientName, shared, state, suspects);
  }

  WriteGrant since(Lsn earliest) {
    return new WriteGrant(
        number, earliest, object, session, map, sinceMillis, clientName, shared, state, suspects);
  }

  WriteGrant suspecting(SuspectOsds now) {
    return new WriteGrant(
        number, first, object, session, map, sinceMillis, clientName, shared, state, now);
  }
}
