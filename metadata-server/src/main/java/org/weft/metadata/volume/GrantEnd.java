package org.weft.metadata.volume;

import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.Session;
import org.weft.protocol.id.ObjectId;

/** How write grants end when it is not by an orderly close; in the draft of one execution. */
final class GrantEnd {
  /** One record ends no more grants than this: it must stay well below the largest record. */
  static final int MOST_PER_RECORD = 200;

  private final Execution on;

  GrantEnd(Execution on) {
    this.on = on;
  }

  /** The file has no name, no reader and no other writer: its objects go with its grants. */
  void removeOrphan(ObjectId object) {
    on.draft().removeObject(object, on.grants().holdersOfOrphan(object));
    on.draft().add(new LiveEffect.OrphanRemoved(object));
    for (WriteGrant grant : on.grants().of(object)) {
      on.draft().add(new LiveEffect.GrantClosed(grant.number(), object, 0));
    }
  }

  /**
   * The session's client is gone: its orphans go, its files are to be resolved (P 6.5). Ends the
   * session, unless it holds too many grants for one record: then the rest has to follow in
   * another.
   */
  void ofSession(Session session) {
    int ended = 0;
    for (WriteGrant grant : on.grants().heldBy(session.id())) {
      if (ended == MOST_PER_RECORD) {
        return;
      }
      if (on.isForsakenBut(grant)) {
        removeOrphan(grant.object());
      } else {
        on.draft().add(new LiveEffect.GrantResolving(grant.number(), grant.object()));
      }
      ended++;
    }
    on.draft().add(new LiveEffect.SessionClosed(session.id()));
  }
}
