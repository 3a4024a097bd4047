package org.weft.metadata.volume;

import java.util.ArrayList;
import java.util.List;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.grant.EndUnansweredRecall;
import org.weft.metadata.volume.operation.grant.RemoveOrphans;
import org.weft.metadata.volume.operation.lock.DropKeptLocks;
import org.weft.metadata.volume.operation.quota.CountTree;
import org.weft.metadata.volume.operation.session.EndLapsedSession;
import org.weft.metadata.volume.operation.volume.RaiseCreateFloor;
import org.weft.metadata.volume.state.VolumeState;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * The manager's own operations that time makes due: leases that have run out, files that are no
 * longer used, trees that are to be counted. Confined to the volume's thread.
 */
final class Housekeeping {
  private static final int LAPSES_AT_ONCE = 100;

  private final VolumeState state;
  private final LsnClock recordsOfLate = new LsnClock();

  Housekeeping(VolumeState state) {
    this.state = state;
  }

  /** What is to be executed now, in this order, without a caller. */
  List<Operation> due(Now now) {
    state.firstAnswers().dropOld(now.monotonicNanos());
    List<Operation> due = new ArrayList<>();
    for (Session session : state.sessions().lapsed(now.monotonicNanos(), LAPSES_AT_ONCE)) {
      due.add(new EndLapsedSession(session.id()));
    }
    List<ObjectId> forsaken = state.forsaken(GrantEnd.MAX_PER_RECORD);
    if (!forsaken.isEmpty()) {
      due.add(new RemoveOrphans(forsaken));
    }
    for (Lsn owner : state.overdue(now.monotonicNanos())) {
      due.add(new EndUnansweredRecall(owner));
    }
    for (SessionId session : state.locks().table().keptTooLong(now.monotonicNanos())) {
      due.add(new DropKeptLocks(session));
    }
    state.quotas().scans().forEach((tree, scan) -> due.add(new CountTree(tree, scan)));
    Lsn attempt = state.grants().firstAttempt(state.lastLsn().next());
    Lsn old = recordsOfLate.anHourOld(now.monotonicNanos(), state.lastLsn());
    if (old.compareTo(state.createFloor()) > 0 && attempt.compareTo(state.createFloor()) > 0) {
      due.add(new RaiseCreateFloor(old));
    }
    return due;
  }
}
