package org.weft.metadata.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.id.SessionId;

/**
 * The secrets of a volume's sessions (P 6.5). A request is the session's if it is signed with the
 * session's secret. Thread-safe: requests are checked where they arrive, while sessions begin and
 * end on the volume's thread. As large as the table of sessions.
 */
public final class SessionSecrets {
  /** A session's secret, and whether its client has shown that it has it. */
  private static final class Held {
    private final SessionSecret secret;
    private volatile boolean shown;

    private Held(SessionSecret secret) {
      this.secret = secret;
    }
  }

  private final Map<SessionId, Held> held = new ConcurrentHashMap<>();

  void opened(SessionId session, SessionSecret secret) {
    held.put(session, new Held(secret));
  }

  void ended(SessionId session) {
    held.remove(session);
  }

  /**
   * Whether a request comes from the holder of the session that it names.
   *
   * @param signedWith whether the request was signed with such a secret
   * @return false also if there is no such session, or no client has been given its secret
   */
  public boolean isHolder(SessionId session, Predicate<byte[]> signedWith) {
    Held found = held.get(session);
    if (found == null || !signedWith.test(found.secret.bytes())) {
      return false;
    }
    if (!found.shown) {
      found.shown = true;
    }
    return true;
  }

  /** The session's client has its secret, so that it need not be sent again. */
  public boolean isShown(SessionId session) {
    Held found = held.get(session);
    return found != null && found.shown;
  }
}
