package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SessionTable;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.OpenSessionReply;

/**
 * Begins a session for a user (P 6.5). A repeat with the same nonce finds the session it made.
 *
 * @param clientName shown to others; control characters become "?"
 * @param slotsWanted reply slots; the manager may give fewer
 */
public record OpenSession(
    String user, List<String> groups, String clientName, long nonce, int slotsWanted)
    implements Operation {
  private static final int MOST_GROUPS = 1_000;
  private static final int MOST_CLIENT_NAME_CHARS = 255;

  public OpenSession {
    groups = List.copyOf(groups);
    clientName =
        clientName
            .substring(0, Math.min(clientName.length(), MOST_CLIENT_NAME_CHARS))
            .replaceAll("[\\p{Cntrl}\\x80-\\x9f]", "?");
  }

  @Override
  public MessageLite execute(Execution on) throws RpcException {
    Optional<Session> earlier = on.sessions().findByNonce(nonce);
    if (earlier.isPresent()) {
      on.view().sawAll();
      requireSameUser(earlier.get());
      // Its client is only opening it, and so has nothing open yet.
      on.reclaimed(earlier.get().id());
      return reply(on, earlier.get().id(), earlier.get().slotCount());
    }
    Names.checkPrincipal(user);
    if (groups.size() > MOST_GROUPS) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "a user is in at most " + MOST_GROUPS + " groups, got " + groups.size());
    }
    for (String group : groups) {
      Names.checkPrincipal(group);
    }
    on.sessions().requireRoom();
    SessionId session = on.counters().drawSession();
    int slots = on.sessions().slotsFor(slotsWanted);
    on.draft()
        .add(
            new LiveEffect.SessionOpened(
                session, user, groups, clientName, nonce, slots, on.nowMillis()));
    return reply(on, session, slots);
  }

  private void requireSameUser(Session earlier) throws RpcException {
    if (!earlier.credentials().user().equals(user)) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "another user's session has this nonce; draw another one at random");
    }
  }

  private static MessageLite reply(Execution on, SessionId session, int slots) {
    return OpenSessionReply.newBuilder()
        .setSessionId(session.value())
        .setLeaseMillis(SessionTable.LEASE_MILLIS)
        .setSlots(slots)
        .setEpoch(on.draft().lsn().epoch())
        .build();
  }
}
