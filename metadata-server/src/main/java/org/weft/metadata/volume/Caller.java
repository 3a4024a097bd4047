package org.weft.metadata.volume;

import java.util.Optional;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.RepeatKey;
import org.weft.protocol.id.SessionId;

/**
 * The sender of a request: the session, the reply slot in it, and the request's number there (P
 * 6.4).
 *
 * @param behalf the user that a trusted session asks for; empty: its own user
 * @param repeat by which a repeat of the request in another session is known; empty: there is none
 * @param patient the client asks again when it is refused with UNAVAILABLE; else the refusal is its
 *     answer (P 6.4.9)
 */
public record Caller(
    SessionId session,
    int slot,
    long sequence,
    Optional<Credentials> behalf,
    Optional<RepeatKey> repeat,
    boolean patient) {
  /** A request that is known in its slot alone. */
  public Caller(SessionId session, int slot, long sequence, Optional<Credentials> behalf) {
    this(session, slot, sequence, behalf, Optional.empty(), true);
  }

  /** For the session's own user. */
  public Caller(SessionId session, int slot, long sequence) {
    this(session, slot, sequence, Optional.empty());
  }

  /** The same request, known by this. */
  public Caller repeatedBy(RepeatKey key) {
    return new Caller(session, slot, sequence, behalf, Optional.of(key), patient);
  }

  /** The same request, whose client does not ask again. */
  public Caller withoutPatience() {
    return new Caller(session, slot, sequence, behalf, repeat, false);
  }
}
