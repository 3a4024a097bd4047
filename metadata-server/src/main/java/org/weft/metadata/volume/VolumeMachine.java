package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.grant.GrantWishes;
import org.weft.metadata.grant.RecallTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.lock.LockWaits;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.readmission.UnsettledGrant;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.repair.RebuildTable;
import org.weft.metadata.repair.RepairQueue;
import org.weft.metadata.scrub.ScrubTable;
import org.weft.metadata.session.Session;
import org.weft.metadata.session.SessionSecrets;
import org.weft.metadata.session.SlotAnswer;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.length.LengthQuestion;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.quota.QuotaSettlement;
import org.weft.metadata.volume.state.LiveNodes;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.metadata.volume.state.VolumeCounts;
import org.weft.metadata.volume.state.VolumeState;
import org.weft.metadata.volume.state.WarmState;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;

/**
 * Decides everything about one volume (P 6.1). An operation is executed against the state. If that
 * needs nothing more, its effects are applied at once and its record is handed out, to be
 * journalled in this very order. Nothing may leave, replies to reads included, before the LSN that
 * it has seen is durable.
 *
 * <p>Pure and deterministic: no IO, no clock, no thread of its own. Confined to the volume's
 * thread.
 */
public final class VolumeMachine {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeMachine.class);

  private final VolumeContext context;
  private final VolumeState state;
  private final Housekeeping housekeeping;

  public VolumeMachine(VolumeContext context, MetadataCache cache) {
    this.context = context;
    this.state = new VolumeState(cache, context.settings().superuser());
    this.housekeeping = new Housekeeping(state);
  }

  /**
   * Goes on with a live state that was kept warm. Its cache must be given the lagging copies, and
   * the records that redo needs, by itself.
   *
   * @param warm must not be used any more
   */
  public VolumeMachine(VolumeContext context, MetadataCache cache, WarmState warm) {
    this.context = context;
    this.state = warm.handOver(cache);
    this.housekeeping = new Housekeeping(state);
  }

  /** A warm state holds all that the journal does: leases begin anew, and so does the epoch. */
  public void takeOver(long epoch, Now now) {
    state.firstAnswers().startOver(now.monotonicNanos());
    beginEpoch(epoch, now);
  }

  /**
   * Takes in what a journal holds, for the live state; the cache replays the rest. Leases begin
   * anew. Then begins the epoch.
   */
  public void recover(JournalContents contents, long epoch, Now now) {
    for (LiveEffect effect : contents.liveState()) {
      state.applyLive(effect, Lsn.ZERO, now.monotonicNanos());
    }
    for (JournalRecord record : contents.records()) {
      state.applyLive(record, now.monotonicNanos());
    }
    beginEpoch(epoch, now);
  }

  private void beginEpoch(long epoch, Now now) {
    state.begin(epoch);
    state.reads().begin(epoch, now.monotonicNanos());
    renewSessions(now);
  }

  /** A client's request. Whatever comes of it, its session lives on for another lease. */
  public Outcome execute(Caller caller, Operation operation, Now now) {
    Optional<Session> found = state.sessions().find(caller.session());
    if (found.isEmpty()) {
      return new Outcome.Refused(sessionExpired(caller), state.lastLsn());
    }
    Session session = found.get();
    state.sessions().renew(session, now.monotonicNanos());
    try {
      if (caller.behalf().isPresent() || caller.repeat().isPresent()) {
        session.requireTrusted();
      }
      Optional<SlotAnswer> earlier = session.admit(caller.slot(), caller.sequence());
      if (earlier.isEmpty() && caller.repeat().isPresent()) {
        earlier = state.firstAnswers().find(caller.repeat().get(), now.monotonicNanos());
        if (earlier.isPresent()) {
          session.answered(caller.slot(), caller.sequence(), earlier.get());
        }
      }
      if (earlier.isPresent()) {
        return SlotOutcomes.again(earlier.get());
      }
    } catch (WeftException notTaken) {
      return new Outcome.Refused(notTaken, state.lastLsn());
    }
    Execution execution = new Execution(state, context, now, session, caller.behalf());
    Outcome outcome = SlotOutcomes.asAnswer(caller, run(execution, operation, caller, now));
    SlotOutcomes.remember(session, caller, operation, outcome);
    return outcome;
  }

  /**
   * What a client's request is answered that cannot be decided, since what it needs cannot be
   * loaded. Its slot remembers an answer: an earlier attempt under its number is not carried out
   * any more (P 6.4.9).
   */
  public Outcome refused(Caller caller, Operation operation, WeftException why) {
    Outcome outcome = SlotOutcomes.asAnswer(caller, new Outcome.Refused(why, state.lastLsn()));
    Optional<Session> found = state.sessions().find(caller.session());
    if (found.isPresent() && found.get().isOpen(caller.slot(), caller.sequence())) {
      SlotOutcomes.remember(found.get(), caller, operation, outcome);
    }
    return outcome;
  }

  /** A request outside any reply slot: about a session as a whole, or the manager's own. */
  public Outcome execute(Operation operation, Now now) {
    return run(new Execution(state, context, now, null), operation, null, now);
  }

  private Outcome run(Execution execution, Operation operation, Caller caller, Now now) {
    MessageLite reply;
    try {
      reply = operation.execute(execution);
      new QuotaSettlement(state, execution).settle(caller != null);
    } catch (NeedsInput e) {
      return Outcome.of(e);
    } catch (WeftException e) {
      return RefusedOutcome.of(e, operation, execution);
    } catch (RuntimeException e) {
      // Nothing has been applied: the one request fails, the volume goes on.
      LOG.error("operation failed: {}", operation, e);
      return new Outcome.Refused(
          new WeftException(ErrorCode.INTERNAL, "the manager failed: " + e, e), state.lastLsn());
    }
    execution.finishDraft();
    List<Effect> effects = execution.draft().effects();
    if (effects.isEmpty()) {
      execution.draft().applied();
      return new Outcome.Done(reply, execution.view().seen(), Optional.empty());
    }
    if (caller != null && !context.surroundings().takesNames() && addsNames(effects)) {
      return new Outcome.Refused(goingAway(), execution.view().seen());
    }
    if (!hasRoomFor(effects)) {
      return new Outcome.NoRoom();
    }
    if (!state.reads().isIdle()) {
      SortedSet<ObjectId> changed =
          new ChangedObjects(state.grants(), state.cache()::attributes).of(effects);
      if (!state.reads().recall(changed, now.monotonicNanos())) {
        return new Outcome.Recall(changed);
      }
    }
    Loadable<List<Effect>> prepared = state.cache().prepare(effects);
    if (!prepared.isReady()) {
      return new Outcome.Need(prepared.missing());
    }
    JournalRecord record =
        new JournalRecord(execution.draft().lsn(), withReply(prepared.value(), caller, reply));
    if (!RecordBound.holds(record)) {
      return new Outcome.Refused(RecordBound.tooMuchAtOnce(record), state.lastLsn());
    }
    state.apply(record, now.monotonicNanos());
    execution.draft().applied();
    return new Outcome.Done(reply, record.lsn(), Optional.of(record));
  }

  private static boolean addsNames(List<Effect> effects) {
    return effects.stream().anyMatch(effect -> effect instanceof ObjectEffect.PutEntry);
  }

  private static WeftException goingAway() {
    return new WeftException(
        ErrorCode.PERMISSION_DENIED,
        "the volume is being deleted and takes no new names; `weft volume list` shows how it"
            + " stands");
  }

  /**
   * No more records for the OSDs are decided while the journal's tail is at its bound (P 6.2). What
   * only the journal holds needs no room on the way to them; it may even make some.
   */
  private boolean hasRoomFor(List<Effect> effects) {
    return (state.cache().hasRoom() && !state.cache().isTailFull())
        || effects.stream().noneMatch(effect -> effect instanceof ObjectEffect);
  }

  private static List<Effect> withReply(List<Effect> effects, Caller caller, MessageLite reply) {
    if (caller == null) {
      return effects;
    }
    List<Effect> all = new ArrayList<>(effects);
    all.add(
        new LiveEffect.Reply(
            caller.session(),
            caller.slot(),
            caller.sequence(),
            reply.toByteString(),
            caller.repeat()));
    return all;
  }

  private static WeftException sessionExpired(Caller caller) {
    return new WeftException(
        ErrorCode.SESSION_EXPIRED,
        "session "
            + caller.session()
            + " has ended; open a new one. Files that it was writing were"
            + " taken back");
  }

  /** What the manager has to do of itself at this time: to be executed without a caller. */
  public List<Operation> due(Now now) {
    return housekeeping.due(now);
  }

  /** No client could reach this manager for a while: no client is to blame for its silence. */
  public void renewSessions(Now now) {
    state.sessions().all().forEach(each -> state.sessions().renew(each, now.monotonicNanos()));
    state.sessions().restartReclaiming(now.monotonicNanos());
    state.recalls().restart(now.monotonicNanos());
    state.locks().table().restart(now.monotonicNanos());
    state.lengths().delegated().restart(now.monotonicNanos());
  }

  /**
   * These sessions have lost their clients, as it seems. What they write is taken from them only if
   * others wait for it (P 6.5).
   */
  public void clientsGone(Set<SessionId> sessions) {
    state.sessions().gone(sessions);
  }

  /** The attempt to resolve the file that was under way has ended, whatever came of it. */
  public void attemptEnded(ObjectId object) {
    state.grants().noAttempt(object);
  }

  /** Owners of ranges that are to be asked now to give some back (P 6.5). */
  public List<RecallTable.Recall> recalls(Now now) {
    return state.recalls().toSend(now.monotonicNanos());
  }

  /** Holders of write grants that are to be asked now to give them back, if they are idle. */
  public List<GrantWishes.Word> wantedGrants(Now now) {
    return state.grantWishes().toSend(now.monotonicNanos());
  }

  /** The owners that are to be notified now that a byte-range lock may be free. */
  public List<LockWaits.Word> freedLocks(Now now) {
    return state.locks().toTell(now.monotonicNanos());
  }

  /** An owner waits for a byte-range lock that may be free by now. */
  public boolean isLockFreed() {
    return state.locks().waits().isAnythingFreed();
  }

  /** Writers that are to be asked now how long their files are (P 6.5). */
  public List<LengthQuestion> lengthQuestions(Now now) {
    return state.lengths().delegated().toSend(now.monotonicNanos());
  }

  /** Grows whenever something that operations wait for may have come. */
  public long tellings() {
    return state.lengths().delegated().tellings() + state.reads().releases();
  }

  /** An operation with this outcome would have it again. */
  public boolean isAwaited(Outcome.Waits outcome, Now now) {
    return outcome instanceof Outcome.Recall recall
        ? state.reads().isAwaited(recall.objects(), now.monotonicNanos())
        : isLengthKept(((Outcome.Ask) outcome).object());
  }

  /** Sessions that are to be asked now to drop their read grants (P 6.5). */
  public List<GrantedReads.Word> recalledReads(Now now) {
    return state.reads().toSend(now.monotonicNanos());
  }

  /** Only the file's writer knows how long it is. */
  public boolean isLengthKept(ObjectId object) {
    return state.lengths().delegated().isDelegated(object);
  }

  /** Grants whose writer is gone, oldest first: their files wait to be resolved. */
  public List<WriteGrant> resolving() {
    return state.grants().resolving();
  }

  /**
   * True of a grant of the manager's own, to finish a truncation, while nothing under it was sent
   * to an OSD. False from {@link #attemptEnded} on.
   */
  public boolean isUnusedCut(WriteGrant grant) {
    return state.grants().isUnused(grant);
  }

  /**
   * True if the file of the grant has no name any more and no client reads or writes it. Such a
   * file is to be removed, not resolved.
   */
  public boolean isOrphan(WriteGrant grant) {
    return state.grants().isOrphan(grant.object())
        && !state.isRead(grant.object())
        && state.grants().of(grant.object()).stream().allMatch(WriteGrant::resolving);
  }

  /** Files with a write grant, orphans left out, that have a component on the OSD; oldest first. */
  public List<ObjectId> writtenAt(OsdId osd) {
    List<ObjectId> files = new ArrayList<>();
    for (WriteGrant grant : state.grants().all()) {
      int component = grant.map().components().indexOf(osd);
      boolean there = component >= 0 && !grant.map().isMissing(component);
      if (there && !state.grants().isOrphan(grant.object())) {
        files.add(grant.object());
      }
    }
    return files;
  }

  /**
   * Counts the copies of metadata on the OSD that are to be refreshed, and the components that are
   * to be removed there. A reader may rely on the OSD again only after that (P 5.8).
   */
  public int laggingAt(OsdId osd) {
    return state.cache().laggingCopies(osd);
  }

  /**
   * What the OSD holds of the object is out of date, or is to be removed and may still be there.
   */
  public boolean isLagging(OsdId osd, ObjectId object) {
    return state.cache().laggingOn(object).contains(osd);
  }

  /** Components that wait to be rebuilt; to be looked at, not changed. */
  public RepairQueue repairs() {
    return state.repairs();
  }

  /** Components that are being written anew; to be looked at, not changed. */
  public RebuildTable rebuilds() {
    return state.rebuilds();
  }

  /** As {@link org.weft.metadata.repair.RepairTables#cleared}. */
  public SortedMap<OsdId, Long> clearedOsds() {
    return state.repairTables().cleared();
  }

  /** Grants that have ended and may be lost in part; settled by others. */
  public UnsettledGrants unsettled() {
    return state.unsettled();
  }

  /** What was decided of OSDs that lost power while the object was written (P 5.9). */
  public SuspectOsds suspectsOf(ObjectId object) {
    return PowerLosses.decided(state.grants().of(object), state.unsettled().suspectsOf(object));
  }

  /**
   * The first grant that anything of a file may be pending of. Where OSDs lost power and are taken
   * as they are, it also covers what had ended since their last checkpoint (P 5.9).
   */
  public Lsn firstToCompare(WriteGrant grant) {
    if (suspectsOf(grant.object()).suspects().isEmpty()) {
      return grant.first();
    }
    return state.unsettled().of(grant.object()).stream()
        .map(UnsettledGrant::number)
        .filter(number -> number.compareTo(grant.first()) < 0)
        .findFirst()
        .orElse(grant.first());
  }

  /**
   * Files that were written when the OSD lost power, are taken as they are and were not resolved
   * since. What the OSD holds of them is not to be believed yet.
   */
  public long suspectFilesAt(OsdId osd) {
    return PowerLosses.suspectFilesAt(osd, state.grants(), state.unsettled());
  }

  /** Sentences on files with lost bytes, at most so many. */
  public List<String> damage(int most) {
    return state.damageWords(most);
  }

  /** How far the scrub of parity is, and what it has found. */
  public ScrubTable scrub() {
    return state.scrub();
  }

  /** What the live state says of single objects. */
  public LiveNodes liveNodes() {
    return new LiveNodes(state);
  }

  /** How many OSDs hold each node's attributes (P 4.4). */
  public int metaCopies() {
    return context.settings().metaCopies();
  }

  /** Grants under way, those that are being resolved included, oldest first. */
  public List<WriteGrant> grants() {
    return List.copyOf(state.grants().all());
  }

  /** The whole live state, as of the last record. */
  public List<LiveEffect> snapshot() {
    return state.snapshot();
  }

  public boolean formatted() {
    return state.formatted();
  }

  /** Below it no live grant can create an object (P 6.6). */
  Lsn createFloor() {
    return state.createFloor();
  }

  /** LSN of the newest record. */
  public Lsn lastLsn() {
    return state.lastLsn();
  }

  /** Sentences on recent reports of clients about OSDs. */
  public List<String> reportedFailures(Now now) {
    return state.reports().recent(now.wallMillis());
  }

  /** By which secret each session is held; thread-safe, unlike the machine. */
  public SessionSecrets sessionSecrets() {
    return state.sessions().secrets();
  }

  /** True for a session that is open. */
  public boolean hasSession(SessionId id) {
    return state.sessions().find(id).isPresent();
  }

  /** Counts of what the volume holds now. */
  public VolumeCounts counts() {
    return VolumeCounts.of(state);
  }
}
