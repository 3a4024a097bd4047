package org.weft.metadata.volume.execution;

import java.util.Optional;
import java.util.SortedMap;
import java.util.random.RandomGenerator;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.check.CheckDesk;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.GrantWishes;
import org.weft.metadata.grant.RecallTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.lock.VolumeLocks;
import org.weft.metadata.placement.Placement;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.repair.BadFile;
import org.weft.metadata.repair.LostFiles;
import org.weft.metadata.repair.RebuildTable;
import org.weft.metadata.repair.RepairQueue;
import org.weft.metadata.repair.RepairTables;
import org.weft.metadata.session.OpenFiles;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.length.VolatileLengths;
import org.weft.metadata.volume.path.Handles;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.ReadTrace;
import org.weft.metadata.volume.state.Counters;
import org.weft.metadata.volume.state.Draft;
import org.weft.metadata.volume.state.EncodedAttributes;
import org.weft.metadata.volume.state.FailureReports;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.metadata.volume.state.View;
import org.weft.metadata.volume.state.VolumeQuotas;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.metadata.volume.state.VolumeState;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * One attempt at one operation: what the operation may look at, and the draft it writes into. Made
 * anew for each attempt, on the volume's thread.
 */
public final class Execution {
  private final VolumeState state;
  private final VolumeContext context;
  private final Now now;
  private final Session session;
  private final Optional<Credentials> behalf;
  private final Draft draft;
  private final View view;
  private final Counters counters;
  private boolean sawLiveState;

  /**
   * @param session whose request it is; null for what the manager does of itself
   */
  public Execution(VolumeState state, VolumeContext context, Now now, Session session) {
    this(state, context, now, session, Optional.empty());
  }

  /**
   * @param behalf the user that the session asks for; empty: its own user
   */
  public Execution(
      VolumeState state,
      VolumeContext context,
      Now now,
      Session session,
      Optional<Credentials> behalf) {
    this.behalf = behalf;
    this.state = state;
    this.context = context;
    this.now = now;
    this.session = session;
    this.draft = new Draft(state.lastLsn().next());
    this.view = new View(state.cache(), draft, state.lengths(), state.lastLsn());
    this.counters = state.counters().copy();
  }

  /** Another execution of the same moment, for the same caller, with an empty draft. */
  public Execution afresh() {
    return new Execution(state, context, now, session, behalf);
  }

  /** The record that this execution drafts. {@link #view} shows at once what is added to it. */
  public Draft draft() {
    return draft;
  }

  /** The volume as the draft leaves it. */
  public View view() {
    return view;
  }

  /** Trees whose usage is counted, as the last record left them. */
  public VolumeQuotas quotas() {
    return state.quotas();
  }

  /** What follows from what the draft says. */
  public void finishDraft() {
    counters.writeChanges(state.counters(), draft);
    draft.dropRepairs(state.repairs());
    draft.endRebuilds(state.rebuilds());
    draft.settleRemoved(state.unsettled(), state.grants());
    draft.settleLengths(state.lengths());
    draft.dropLocks(state.locks().table());
    draft.dropDamage(state.damaged().keySet());
    draft.dropContradictions(state.scrub().contradicted().keySet());
  }

  /** Components that wait to be rebuilt. */
  public RepairQueue repairs() {
    return state.repairs();
  }

  /** Components that are being written anew. */
  public RebuildTable rebuilds() {
    return state.rebuilds();
  }

  /** What the journal knows of repairs. */
  public RepairTables repairTables() {
    return state.repairTables();
  }

  /** Files of which bytes are lost, as the journal has it. */
  public SortedMap<ObjectId, LiveEffect.FileDamaged> damaged() {
    sawLiveState = true;
    return state.damaged();
  }

  /** Files whose parity and data contradict each other. */
  public SortedMap<ObjectId, ScrubEffect.Contradicted> contradicted() {
    sawLiveState = true;
    return state.scrub().contradicted();
  }

  /** Files that have lost more than their code bears. */
  public LostFiles lostFiles() {
    return context.lostFiles();
  }

  /** Files with bad blocks that cannot be written anew. */
  public SortedMap<ObjectId, BadFile> damagedFiles() {
    return context.damagedFiles();
  }

  /** Where checks of the volume are asked for. */
  public CheckDesk checks() {
    return context.checks();
  }

  /** Follows paths. */
  public PathWalk walk() {
    return walk(false);
  }

  /**
   * The same.
   *
   * @param traced the caller may want to rely on what is found, which is noted
   */
  public PathWalk walk(boolean traced) {
    return new PathWalk(
        view, credentials(), settings().path(), this::handles, new ReadTrace(traced));
  }

  /** What sessions were granted for reading. */
  public GrantedReads reads() {
    return state.reads();
  }

  /** How the volume was made. */
  public LiveEffect.VolumeCreated created() {
    return state.created().orElseThrow(() -> new IllegalStateException("nothing is formatted"));
  }

  /** The handles of the volume's nodes; before it serves it has a key for them. */
  public Handles handles() {
    return new Handles(settings().volume(), created().handleKey().orElseThrow());
  }

  /**
   * Whose request it is.
   *
   * @throws IllegalStateException if it is the manager's own
   */
  public Session session() {
    if (session == null) {
      throw new IllegalStateException("no session asks for this");
    }
    return session;
  }

  /** The user that the request is made as: it needs the permissions. */
  public Credentials credentials() {
    return behalf.orElseGet(() -> session().credentials());
  }

  /**
   * @throws WeftException UNAUTHENTICATED unless the session's client has the join token
   */
  public void requireTrusted() throws WeftException {
    session().requireTrusted();
  }

  /** As {@link #grants}, sessions have no LSN of their own. */
  public SessionTable sessions() {
    sawLiveState = true;
    return state.sessions();
  }

  /** Reports of clients on components that failed. Not durable. */
  public FailureReports reports() {
    return state.reports();
  }

  /** Write grants. None has an LSN of its own: see {@link #seenByRefusal}. */
  public GrantTable grants() {
    sawLiveState = true;
    return state.grants();
  }

  /**
   * A refusal may leave once everything up to this LSN is durable (P 6.1). A refusal that rests on
   * grants or sessions waits for every record there is. That a grant or session has ended must not
   * be taken back, since its holder gives up the file.
   */
  public Lsn seenByRefusal() {
    return sawLiveState ? lastLsn() : view.seen();
  }

  /** Byte-range locks; as {@link #grants}, none has an LSN of its own. */
  public VolumeLocks locks() {
    sawLiveState = true;
    return state.locks();
  }

  /** Grants that wait for ranges that others own. */
  public RecallTable recalls() {
    return state.recalls();
  }

  /** The writer has not answered a recall, or a question, for a whole lease. */
  public boolean isOverdue(Lsn grant) {
    return state.overdue(nowNanos()).contains(grant);
  }

  /** The caller has to wait for a writer of the file, which may be dead (P 6.5). */
  public void wanted(ObjectId object) {
    state.wanted().wanted(object, nowNanos());
  }

  /** Whose write grants are wanted by others. */
  public GrantWishes grantWishes() {
    return state.grantWishes();
  }

  /** Grants that have ended, until every OSD of their map has made a later checkpoint (P 5.9). */
  public UnsettledGrants unsettled() {
    return state.unsettled();
  }

  /** OSDs have no room for more marks of the file's grants. */
  public void crowded(ObjectId object) {
    state.crowded(object);
  }

  /** Attributes as listings show them. */
  public EncodedAttributes encoded() {
    return state.encoded();
  }

  /** Lengths that writers have published and no record holds. */
  public VolatileLengths lengths() {
    return state.lengths();
  }

  /**
   * A client is to be shown how long the file is.
   *
   * @throws NeedsInput if only its writer knows
   * @throws WeftException UNAVAILABLE while neither its writer nor an OSD can say it
   */
  public void requireLength(ObjectId object) throws NeedsInput, WeftException {
    if (lengths().isUnheard(object)) {
      wanted(object);
    }
    lengths().requireHeard(object);
    if (!lengths().isLive(object)) {
      return;
    }
    lengths().delegated().wanted(object, nowNanos());
    if (lengths().delegated().isDelegated(object)) {
      wanted(object);
      if (grants().of(object).stream().allMatch(WriteGrant::resolving)) {
        throw WriteGrant.beingResolved(object);
      }
      throw new NeedsInput(object);
    }
  }

  /** Which sessions have which files open for reading. */
  public OpenFiles openFiles() {
    return state.openFiles();
  }

  /** The session has said everything that it has open since before the restart. */
  public void reclaimed(SessionId id) {
    state.reclaimed(id);
  }

  /** Some session has the file open for reading, or may have: see {@link OpenFiles}. */
  public boolean isRead(ObjectId object) {
    return state.isRead(object);
  }

  /** A client writes the file, or has it open for reading. */
  public boolean isInUse(ObjectId object) {
    return grants().find(object).isPresent() || isRead(object);
  }

  /**
   * The file has no name any more and no client reads it: when its last grant ends its objects go.
   */
  public boolean isForsaken(ObjectId object) {
    return grants().isOrphan(object) && !isRead(object);
  }

  /** When this grant ends, the file's objects go with it. */
  public boolean isForsakenBut(WriteGrant grant) {
    return isForsaken(grant.object()) && grants().isAlone(grant);
  }

  /** Numbers as this draft leaves them. */
  public Counters counters() {
    return counters;
  }

  /** The newest record applied before this draft. */
  public Lsn lastLsn() {
    return state.lastLsn();
  }

  /** Chooses OSDs for new nodes and for what is written anew. */
  public Placement placement() {
    return new Placement(context.cluster().pool(), settings().metaCopies(), context.random());
  }

  /** Random numbers that a record may hold; never to be asked when a record is applied. */
  public RandomGenerator random() {
    return context.random();
  }

  /** Signs what a reply lets its client do at OSDs. */
  public CapabilityMint mint() {
    return context.mint();
  }

  /** The newest table of the cluster that this manager knows. */
  public ClusterKnown cluster() {
    return context.cluster();
  }

  /** This volume's standing, and where other volumes stand in it. */
  public MountPoints surroundings() {
    return context.surroundings();
  }

  /** Limits and defaults of this volume. */
  public VolumeSettings settings() {
    return context.settings();
  }

  /** Time of day, in milliseconds since 1970. */
  public long nowMillis() {
    return now.wallMillis();
  }

  /** Time of day, to be stored: nanoseconds since 1970. */
  public long dayNanos() {
    return Times.nanos(now.wallMillis());
  }

  /** Monotonic time in nanoseconds, for leases and waits; never to be stored. */
  public long nowNanos() {
    return now.monotonicNanos();
  }
}
