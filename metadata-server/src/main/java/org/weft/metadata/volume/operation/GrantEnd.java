package org.weft.metadata.volume.operation;

import java.util.List;
import java.util.function.Predicate;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockEffect;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.id.ObjectId;

/**
 * How write grants end, or are superseded, when it is not by their holders; in the draft of one
 * execution.
 */
public final class GrantEnd {
  /** One record ends no more grants than this: it must stay well below the largest record. */
  public static final int MAX_PER_RECORD = 200;

  private static final int MAX_REASON_CHARS = 1_000;

  private final Execution on;

  public GrantEnd(Execution on) {
    this.on = on;
  }

  /** The file has no name, no reader and no other writer: its objects go with its grants. */
  public void removeOrphan(ObjectId object) {
    on.draft().removeObject(object, on.grants().holdersOfOrphan(object));
    on.draft().add(new LiveEffect.OrphanRemoved(object));
    for (WriteGrant grant : on.grants().of(object)) {
      on.draft().add(new LiveEffect.GrantClosed(grant.number(), object, 0));
    }
  }

  /**
   * The writers count as gone. Their writes are to be resolved, and each gets the reason. Those
   * that count as gone already are left out.
   */
  public void revoke(List<WriteGrant> grants, String why) {
    List<WriteGrant> held = grants.stream().filter(grant -> !grant.resolving()).toList();
    if (held.isEmpty()) {
      return;
    }
    tell(held, why);
    held.forEach(
        grant -> on.draft().add(new LiveEffect.GrantResolving(grant.number(), grant.object())));
  }

  /**
   * The file loses its last name, and its writers are shut out. If no client has it open for
   * reading, its objects go with this record, and the tombstones get the record's LSN. That is
   * larger than all grants on the file, so that no late write makes an object again (P 6.6). Else
   * the file is resolved, for its readers.
   */
  public void revokeNameless(ObjectId object, String why) {
    List<WriteGrant> grants = on.grants().of(object);
    if (on.isRead(object)) {
      revoke(grants, why);
      return;
    }
    tell(grants, why);
    grants.forEach(grant -> on.draft().add(new LiveEffect.GrantClosed(grant.number(), object, 0)));
  }

  /** These grants on the file are superseded: their holders are to ask for new ones. */
  public void supersede(ObjectId object, Predicate<WriteGrant> which) {
    on.grants().of(object).stream()
        .filter(which)
        .forEach(grant -> on.draft().add(new LiveEffect.GrantSuperseded(grant.number(), object)));
  }

  private void tell(List<WriteGrant> grants, String why) {
    String bounded = why.length() <= MAX_REASON_CHARS ? why : why.substring(0, MAX_REASON_CHARS);
    on.draft()
        .add(
            new LiveEffect.GrantsRevoked(
                grants.stream().map(WriteGrant::number).toList(), bounded));
  }

  /**
   * The session's client is gone (P 6.5). Its orphans go, its files are to be resolved, and its
   * byte-range locks go or are kept for a successor. Ends the session, unless it holds too many
   * grants for one record: then the rest has to follow in another.
   */
  public void ofSession(Session session) {
    int ended = 0;
    for (WriteGrant grant : on.grants().heldBy(session.id())) {
      if (ended == MAX_PER_RECORD) {
        return;
      }
      if (on.isForsakenBut(grant)) {
        removeOrphan(grant.object());
      } else {
        on.draft().add(new LiveEffect.GrantResolving(grant.number(), grant.object()));
      }
      ended++;
    }
    session
        .keeping()
        .filter(keeping -> on.locks().table().isHolder(session.id()))
        .ifPresent(
            keeping ->
                on.draft()
                    .add(
                        new LockEffect.LocksKept(
                            session.id(),
                            session.credentials().user(),
                            keeping,
                            session.clientName())));
    on.draft().add(new LiveEffect.SessionClosed(session.id()));
  }
}
