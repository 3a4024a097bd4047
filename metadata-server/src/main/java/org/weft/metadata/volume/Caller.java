package org.weft.metadata.volume;

import java.util.Optional;
import org.weft.metadata.session.Credentials;
import org.weft.protocol.id.SessionId;

/**
 * Whose request it is: the session, the reply slot in it, and the request's number there (P 6.4).
 *
 * @param behalf for whom a trusted session asks; empty: for its own user
 */
public record Caller(SessionId session, int slot, long sequence, Optional<Credentials> behalf) {
  /** For the session's own user. */
  public Caller(SessionId session, int slot, long sequence) {
    this(session, slot, sequence, Optional.empty());
  }
}
