package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.OfSessions;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.session.FirstAnswers;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.session.SlotAnswer;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * Sessions of clients, the answers to their requests, and their read grants (P 6.4, 6.5). It is
 * live state, changed by effects alone. Leases and grants for reading are the exception, which no
 * journal holds. Confined to the volume's thread.
 */
final class SessionTables {
  private final SessionTable sessions = new SessionTable();
  private final FirstAnswers firstAnswers = new FirstAnswers();
  private final GrantedReads reads = new GrantedReads();
  private final String superuser;

  SessionTables(String superuser) {
    this.superuser = superuser;
  }

  /** Sessions of clients, with their leases. */
  SessionTable sessions() {
    return sessions;
  }

  /** What requests were answered that may come again in another session. */
  FirstAnswers firstAnswers() {
    return firstAnswers;
  }

  /** What sessions were granted for reading. */
  GrantedReads reads() {
    return reads;
  }

  /**
   * Applies an effect.
   *
   * @param lsn of the record in which it stands
   */
  void apply(OfSessions effect, Lsn lsn, long nowNanos) {
    if (effect instanceof LiveEffect.Reply reply) {
      answered(reply, lsn);
      if (reply.repeat().isPresent()) {
        firstAnswers.answered(reply, lsn, nowNanos);
      }
    } else if (effect instanceof LiveEffect.SessionOpened opened) {
      sessions.open(
          opened.session(),
          Credentials.of(opened.user(), opened.groups(), superuser),
          opened.clientName(),
          opened.nonce(),
          opened.slots(),
          opened.openedMillis(),
          opened.secret(),
          opened.keeping(),
          opened.trusted(),
          opened.followsCuts(),
          nowNanos);
      reads.sessionOpened(opened.session(), opened.cachesReads());
    } else if (effect instanceof LiveEffect.SessionClosed closed) {
      sessions.close(closed.session());
      reads.sessionEnded(closed.session());
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private void answered(LiveEffect.Reply reply, Lsn lsn) {
    sessions
        .find(reply.session())
        .ifPresent(
            session -> {
              try {
                session.answered(
                    reply.slot(), reply.sequence(), SlotAnswer.success(reply.bytes(), lsn));
              } catch (WeftException e) {
                throw new IllegalStateException("a journalled reply has no slot: " + reply, e);
              }
            });
  }

  /** All of them, as a snapshot has them. */
  List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    for (Session session : sessions.all()) {
      effects.add(
          new LiveEffect.SessionOpened(
              session.id(),
              session.credentials().user(),
              session.credentials().groups(),
              session.clientName(),
              session.nonce(),
              session.slotCount(),
              session.openedMillis(),
              session.secret(),
              session.keeping(),
              reads.isCaching(session.id()),
              session.trusted(),
              session.followsCuts()));
      session.forEachSuccess(
          (slot, sequence, answer) ->
              effects.add(new LiveEffect.Reply(session.id(), slot, sequence, answer.body())));
    }
    effects.addAll(firstAnswers.snapshot());
    return effects;
  }
}
