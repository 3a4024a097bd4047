package org.weft.metadata.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.LockKeeping;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

/**
 * The sessions of one volume (P 6.4, 6.5). The journal has the sessions and the contents of their
 * slots. Leases are of this process alone and start again after a restart. Pure, confined to the
 * volume's thread.
 */
public final class SessionTable {
  /** Past it new sessions are refused. */
  public static final int MAX_SESSIONS = 10_000;

  /** What names of users and groups may take in memory; past it new sessions are refused. */
  static final long MAX_PRINCIPAL_BYTES = 32 << 20;

  private static final long NAME_OVERHEAD_BYTES = 56;

  /** How long a session lives without a sign of its client. */
  public static final int LEASE_MILLIS = 10_000;

  static final int MAX_SLOTS = 64;

  /** Slots of a session that stands for many users. */
  static final int MAX_TRUSTED_SLOTS = 1_024;

  /**
   * With more sessions than this each new one gets fewer slots: their answers are kept in memory.
   */
  private static final int MANY_SESSIONS = 1_000;

  private static final int SLOTS_WHEN_MANY = 16;
  private static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);
  private static final int LEASES_TO_RECLAIM = 3;

  private final TreeMap<SessionId, Session> sessions = new TreeMap<>();
  private final Map<Long, SessionId> byNonce = new HashMap<>();
  private final TreeSet<SessionId> unreclaimed = new TreeSet<>();
  private OptionalLong reclaimEndNanos = OptionalLong.empty();
  private final SessionSecrets secrets = new SessionSecrets();
  private final SessionShares shares = new SessionShares(MAX_SESSIONS);
  private long principalBytes;

  /** It is of this process alone. */
  private Set<SessionId> gone = Set.of();

  /** What a client gets that asks for so many slots now. */
  public int slotsFor(int wanted, boolean trusted) {
    int usual = sessions.size() >= MANY_SESSIONS ? SLOTS_WHEN_MANY : MAX_SLOTS;
    return Math.max(1, Math.min(wanted, trusted ? MAX_TRUSTED_SLOTS : usual));
  }

  /**
   * @param host of the client that wants one; empty: not known
   * @throws WeftException OVERLOADED if there are as many sessions as may be, of all, of that host
   *     or of that user. Also if their users and groups take as much memory as may be
   */
  public void requireRoom(String host, Credentials credentials) throws WeftException {
    shares.requireRoom(host, credentials.user(), sessions::containsKey);
    if (principalBytes + weight(credentials) > MAX_PRINCIPAL_BYTES) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          "the users and groups of the sessions of this volume take "
              + MAX_PRINCIPAL_BYTES
              + " bytes, as many as it keeps; state fewer groups, or try again later");
    }
    if (sessions.size() >= MAX_SESSIONS) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          "this manager has " + MAX_SESSIONS + " sessions, as many as it takes; try again later");
    }
  }

  /** The host of a session's client; of this process alone. */
  public void heardFrom(SessionId id, String host) {
    shares.heardFrom(id, host);
  }

  private static long weight(Credentials credentials) {
    return credentials.nameBytes() + (1L + credentials.groups().size()) * NAME_OVERHEAD_BYTES;
  }

  /** Applies a journalled opening, whatever room there is. */
  public Session open(
      SessionId id,
      Credentials credentials,
      String clientName,
      long nonce,
      int slots,
      long openedMillis,
      Optional<SessionSecret> secret,
      Optional<LockKeeping> keeping,
      boolean trusted,
      boolean followsCuts,
      long nowNanos) {
    Session session =
        new Session(
            id,
            credentials,
            clientName,
            nonce,
            slots,
            openedMillis,
            secret,
            keeping,
            trusted,
            followsCuts,
            nowNanos + LEASE_NANOS);
    Session before = sessions.put(id, session);
    principalBytes += weight(credentials) - (before == null ? 0 : weight(before.credentials()));
    secret.ifPresent(drawn -> secrets.opened(id, drawn));
    byNonce.put(nonce, id);
    shares.opened(id, credentials.user());
    return session;
  }

  /** Applies a journalled end; one that is gone already is no error. */
  public void close(SessionId id) {
    unreclaimed.remove(id);
    Session session = sessions.remove(id);
    secrets.ended(id);
    shares.ended(id);
    if (session != null) {
      byNonce.remove(session.nonce(), id);
      principalBytes -= weight(session.credentials());
    }
  }

  /** By which secret each session is held; thread-safe, unlike the table. */
  public SessionSecrets secrets() {
    return secrets;
  }

  public Optional<Session> find(SessionId id) {
    return Optional.ofNullable(sessions.get(id));
  }

  /** The session that a retried opening made. */
  public Optional<Session> findByNonce(long nonce) {
    return Optional.ofNullable(byNonce.get(nonce)).map(sessions::get);
  }

  /**
   * The session of a request.
   *
   * @throws WeftException SESSION_EXPIRED if it has ended
   */
  public Session require(SessionId id) throws WeftException {
    Session session = sessions.get(id);
    if (session == null) {
      throw new WeftException(
          ErrorCode.SESSION_EXPIRED,
          "session "
              + id
              + " has ended; open a new one, and what it wrote and did not close is lost"
              + " to it");
    }
    return session;
  }

  /**
   * These sessions seem to have lost their clients: all their connections ended, and none came back
   * in time. A hint, by which only those are ended that others wait for.
   */
  public void gone(Set<SessionId> sessions) {
    gone = sessions.isEmpty() ? Set.of() : new HashSet<>(sessions);
  }

  /** The session's client seems to be gone, and has sent nothing since. */
  public boolean isGone(SessionId session) {
    return gone.contains(session);
  }

  /** Its client gave a sign of life. */
  public void renew(Session session, long nowNanos) {
    session.renew(nowNanos + LEASE_NANOS);
    if (!gone.isEmpty()) {
      gone.remove(session.id());
    }
  }

  /** Its client has said good-bye: what is left of it is not waited for. */
  public void lapse(Session session, long nowNanos) {
    session.renew(nowNanos);
  }

  /**
   * Its lease is over. Or it has not said what it has open, however often it was renewed; until
   * then no file without a name can go.
   */
  public boolean hasLapsed(Session session, long nowNanos) {
    return session.lapsed(nowNanos)
        || reclaimEndNanos.isPresent()
            && nowNanos - reclaimEndNanos.getAsLong() >= 0
            && unreclaimed.contains(session.id());
  }

  /** Sessions that {@link #hasLapsed have lapsed}, in ascending order, at most so many. */
  public List<Session> lapsed(long nowNanos, int most) {
    List<Session> lapsed = new ArrayList<>();
    for (Session session : sessions.values()) {
      if (lapsed.size() >= most) {
        break;
      }
      if (hasLapsed(session, nowNanos)) {
        lapsed.add(session);
      }
    }
    return lapsed;
  }

  /** A manager has started: every session has yet to say which files it has open (P 6.5). */
  public void begin() {
    unreclaimed.addAll(sessions.keySet());
  }

  /** All can speak from now on: three leases are enough to say what is open. */
  public void restartReclaiming(long nowNanos) {
    reclaimEndNanos = OptionalLong.of(nowNanos + LEASES_TO_RECLAIM * LEASE_NANOS);
  }

  /** The session has said everything that it has open. */
  public void reclaimed(SessionId id) {
    unreclaimed.remove(id);
  }

  public boolean isUnreclaimed(SessionId id) {
    return unreclaimed.contains(id);
  }

  /** Some session of before the restart may have files open of which it has not spoken yet. */
  public boolean anyUnreclaimed() {
    return !unreclaimed.isEmpty();
  }

  /** Every session, in ascending order of its id. */
  public Collection<Session> all() {
    return sessions.values();
  }

  public int size() {
    return sessions.size();
  }
}
