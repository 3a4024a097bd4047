package org.weft.metadata.volume.operation.session;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.Names;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.OpenSessionReply;

/**
 * Begins a session for a user, and returns its secret (P 6.5). A repeat with the same nonce finds
 * the session it made, and gets the same answer, until the client has signed a request. From then
 * on the secret is not returned any more.
 *
 * @param clientName shown to others; control characters become "?"
 * @param slotsWanted reply slots; the manager may give fewer
 * @param host of the client, as its connection shows; empty: unknown
 * @param keeping empty: its byte-range locks go with it
 * @param cachesReads it will want read grants
 * @param trusted its client has shown that it has the join token
 * @param followsCuts its client handles a shared file that another client truncates
 */
public record OpenSession(
    String user,
    List<String> groups,
    String clientName,
    long nonce,
    int slotsWanted,
    String host,
    Optional<LockKeeping> keeping,
    boolean cachesReads,
    boolean trusted,
    boolean followsCuts)
    implements Operation {
  private static final int MAX_GROUPS = 1_000;

  /** Sessions are kept in memory, in the journal and in its snapshots. */
  private static final int MAX_NAME_BYTES = 16 << 10;

  private static final int MAX_CLIENT_NAME_CHARS = 255;

  public OpenSession {
    groups = List.copyOf(groups);
    clientName =
        clientName
            .substring(0, Math.min(clientName.length(), MAX_CLIENT_NAME_CHARS))
            .replaceAll("[\\p{Cntrl}\\x80-\\x9f]", "?");
  }

  /** A client of an unknown host. */
  public OpenSession(
      String user, List<String> groups, String clientName, long nonce, int slotsWanted) {
    this(user, groups, clientName, nonce, slotsWanted, "", Optional.empty(), false, false, true);
  }

  /** The same of a client of that host. */
  public OpenSession from(String clientHost) {
    return with(clientHost, cachesReads, trusted, followsCuts);
  }

  /** The same by a client that will want read grants. */
  public OpenSession caching() {
    return with(host, true, trusted, followsCuts);
  }

  /** The same by a client that has shown that it has the join token. */
  public OpenSession proven() {
    return with(host, cachesReads, true, followsCuts);
  }

  /**
   * The same by a client of an earlier release, which does not know that others truncate its files.
   */
  public OpenSession withoutCuts() {
    return with(host, cachesReads, trusted, false);
  }

  private OpenSession with(String from, boolean caches, boolean isTrusted, boolean follows) {
    return new OpenSession(
        user, groups, clientName, nonce, slotsWanted, from, keeping, caches, isTrusted, follows);
  }

  @Override
  public MessageLite execute(Execution on) throws WeftException {
    Optional<Session> earlier =
        on.sessions().findByNonce(nonce).filter(session -> session.secret().isPresent());
    if (earlier.isPresent()) {
      on.view().sawAll();
      requireRepeat(on, earlier.get());
      // Its client is only opening it, and so has nothing open yet.
      on.reclaimed(earlier.get().id());
      return reply(on, earlier.get().id(), earlier.get().slotCount(), earlier.get().secret());
    }
    Names.checkPrincipal(user);
    if (groups.size() > MAX_GROUPS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a user is in at most " + MAX_GROUPS + " groups, got " + groups.size());
    }
    for (String group : groups) {
      Names.checkPrincipal(group);
    }
    Credentials credentials = Credentials.of(user, groups, "");
    if (credentials.nameBytes() > MAX_NAME_BYTES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the names of a user and its groups may have "
              + MAX_NAME_BYTES
              + " bytes together, these have "
              + credentials.nameBytes()
              + "; state fewer groups");
    }
    on.sessions().requireRoom(host, credentials);
    SessionId session = on.counters().drawSession();
    if (!host.isEmpty()) {
      on.sessions().heardFrom(session, host);
    }
    int slots = on.sessions().slotsFor(slotsWanted, trusted);
    Optional<SessionSecret> secret = Optional.of(SessionSecret.draw(on.random()));
    on.draft()
        .add(
            new LiveEffect.SessionOpened(
                session,
                user,
                groups,
                clientName,
                nonce,
                slots,
                on.nowMillis(),
                secret,
                keeping,
                cachesReads,
                trusted,
                followsCuts));
    return reply(on, session, slots, secret);
  }

  /** A client that has shown that it has the secret does not ask for it again. */
  private void requireRepeat(Execution on, Session earlier) throws WeftException {
    if (on.sessions().secrets().isShown(earlier.id())) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "a session that is in use was opened with this nonce; draw another one at random");
    }
    if (earlier.trusted() != trusted) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "a session with this nonce was opened "
              + (trusted ? "without" : "with")
              + " the join token; draw another nonce at random");
    }
    if (!earlier.credentials().user().equals(user)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "another user's session has this nonce; draw another one at random");
    }
  }

  private static MessageLite reply(
      Execution on, SessionId session, int slots, Optional<SessionSecret> secret) {
    OpenSessionReply.Builder reply =
        OpenSessionReply.newBuilder()
            .setKeepsFirstAnswers(true)
            .setSessionId(session.value())
            .setLeaseMillis(SessionTable.LEASE_MILLIS)
            .setSlots(slots)
            .setEpoch(on.draft().lsn().epoch());
    secret.ifPresent(drawn -> reply.setSecret(ByteString.copyFrom(drawn.bytes())));
    return reply.build();
  }

  /** Leaves out the nonce: it would let another client get the session's secret. */
  @Override
  public String toString() {
    return "OpenSession[user=" + user + ", clientName=" + clientName + "]";
  }
}
