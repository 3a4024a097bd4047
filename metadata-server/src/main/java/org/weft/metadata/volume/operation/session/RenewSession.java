package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.OptionalInt;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.session.OpenFiles;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.RenewSessionReply;

/**
 * A sign of life (P 6.5). With it the session says which files it has closed that it had open for
 * reading. After a restart of the manager it says which ones it has open, and how long those are
 * that it writes. Orphans that no client has open any more go a little later, in a record of their
 * own.
 *
 * @param reclaim files that it has open
 * @param dropped read grants that it has no more
 * @param host of the client, as its connection shows; empty: unknown
 */
public record RenewSession(
    SessionId session, List<Closing> closings, Reclaim reclaim, DroppedReads dropped, String host)
    implements Operation {
  /** A reply names at most so many objects whose grants are recalled. */
  private static final int MAX_RECALLED = 1_000;

  /**
   * A file that the session has closed.
   *
   * @param upTo the largest number of an opening of it that the session has seen
   */
  public record Closing(ObjectId object, Lsn upTo) {}

  /**
   * Files that the session opened before the manager started.
   *
   * @param epoch of the manager that is meant; another may have got only a part
   * @param whole with this, everything has been said
   * @param open with the handles that it was given when it opened them
   * @param published lengths of files that it writes
   */
  public record Reclaim(
      long epoch, boolean whole, List<FileHandle> open, List<PublishedLength> published) {
    /** Nothing is said. */
    public static final Reclaim NONE = new Reclaim(0, false, List.of());

    public Reclaim {
      open = List.copyOf(open);
      published = List.copyOf(published);
    }

    /** A session that writes nothing. */
    public Reclaim(long epoch, boolean whole, List<FileHandle> open) {
      this(epoch, whole, open, List.of());
    }
  }

  /**
   * The largest length of a file that the session has asked to be published.
   *
   * @param truncation how often the file had been cut by then; empty: not said
   */
  public record PublishedLength(ObjectId object, long sizeBytes, OptionalInt truncation) {}

  /**
   * Read grants that are gone.
   *
   * @param upTo all up to this number
   */
  public record DroppedReads(List<DropReads.Dropped> some, Lsn upTo) {
    /** None. */
    public static final DroppedReads NONE = new DroppedReads(List.of(), Lsn.ZERO);

    public DroppedReads {
      some = List.copyOf(some);
    }
  }

  public RenewSession {
    closings = List.copyOf(closings);
  }

  /** A client of an unknown host. */
  public RenewSession(SessionId session, List<Closing> closings, Reclaim reclaim) {
    this(session, closings, reclaim, DroppedReads.NONE, "");
  }

  /** The same of a client of that host. */
  public RenewSession from(String clientHost) {
    return new RenewSession(session, closings, reclaim, dropped, clientHost);
  }

  /** A sign of life alone. */
  public RenewSession(SessionId session) {
    this(session, List.of(), Reclaim.NONE);
  }

  @Override
  public MessageLite execute(Execution on) throws WeftException {
    SessionTable sessions = on.sessions();
    sessions.renew(sessions.require(session), on.nowNanos());
    if (!host.isEmpty()) {
      sessions.heardFrom(session, host);
    }
    OpenFiles files = on.openFiles();
    long epoch = on.draft().lsn().epoch();
    // A late duplicate must not open again what was closed since.
    if (reclaim.epoch() == epoch && sessions.isUnreclaimed(session)) {
      for (FileHandle handle : reclaim.open()) {
        on.handles().require(handle);
      }
      reclaim.open().forEach(handle -> files.reclaim(session, handle.object()));
      reclaim.published().forEach(length -> published(on, length));
      if (reclaim.whole()) {
        on.reclaimed(session);
      }
    }
    closings.forEach(closing -> files.close(session, closing.object(), closing.upTo()));
    RenewSessionReply.Builder reply =
        RenewSessionReply.newBuilder()
            .setLeaseMillis(SessionTable.LEASE_MILLIS)
            .setTableVersion(on.cluster().tableVersion())
            .setEpoch(epoch);
    drop(on.reads(), on.nowNanos(), reply);
    return reply.build();
  }

  /**
   * The read lease is extended except for recalled grants: a session that has the reply has dropped
   * them.
   */
  private void drop(GrantedReads reads, long nowNanos, RenewSessionReply.Builder reply) {
    if (!dropped.upTo().equals(Lsn.ZERO)) {
      reads.droppedAll(session, dropped.upTo());
    }
    dropped.some().forEach(each -> reads.dropped(session, each.object(), each.upTo()));
    if (!reads.mayHave(session)) {
      return;
    }
    boolean isExtended = reads.renewed(session, nowNanos);
    reply.setReadLeaseMillis(GrantedReads.LEASE_MILLIS).setReadNumber(reads.newest().value());
    List<ObjectId> recalled = reads.recalledFrom(session);
    if (!isExtended || recalled.size() > MAX_RECALLED) {
      reply.setRecalledAll(true);
    } else {
      recalled.forEach(object -> reply.addRecalledObject(object.value()));
    }
  }

  /**
   * Only lengths that the journal does not know. The file may have been truncated since without the
   * session's knowledge.
   */
  private void published(Execution on, PublishedLength length) {
    ObjectId object = length.object();
    boolean writes =
        on.grants().of(object).stream().anyMatch(grant -> grant.session().equals(session));
    if (on.lengths().isUnheard(object) && writes) {
      on.lengths().tellAgain(object, length.sizeBytes(), length.truncation(), on.dayNanos());
    }
  }
}
