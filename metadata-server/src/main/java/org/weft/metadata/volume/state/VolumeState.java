package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.GrantWishes;
import org.weft.metadata.grant.RecallTable;
import org.weft.metadata.grant.WantedFiles;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.lock.VolumeLocks;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.readmission.UnsettledGrants;
import org.weft.metadata.repair.RebuildTable;
import org.weft.metadata.repair.RepairQueue;
import org.weft.metadata.repair.RepairTables;
import org.weft.metadata.scrub.ScrubTable;
import org.weft.metadata.session.FirstAnswers;
import org.weft.metadata.session.OpenFiles;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.length.DelegatedLengths;
import org.weft.metadata.volume.length.VolatileLengths;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * Everything a volume's machine knows: the cache of what lies on OSDs, and the live state that lies
 * in the journal alone (P 6.4). Only applying effects changes it (leases apart), alike when an
 * operation was just decided and when a journal is replayed.
 */
public final class VolumeState {
  private static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(SessionTable.LEASE_MILLIS);

  private final SessionTables sessionTables;
  private final SessionTable sessions;
  private final GrantTables grantTables = new GrantTables();
  private final GrantTable grants = grantTables.open();
  private final RecallTable recalls = new RecallTable(grants, LEASE_NANOS);
  private final WantedFiles wanted = new WantedFiles(grants);
  private final GrantWishes grantWishes = new GrantWishes(grants);
  private final RepairTables repairTables = new RepairTables();
  private final UnsettledGrants unsettled = grantTables.unsettled();
  private final EncodedAttributes encoded = new EncodedAttributes();
  private final VolatileLengths lengths =
      new VolatileLengths(new DelegatedLengths(grants, LEASE_NANOS));
  private final OpenFiles openFiles = new OpenFiles(grants::isOrphan);
  private final VolumeLocks locks = new VolumeLocks();
  private final Counters counters = new Counters();
  private final VolumeQuotas quotas = new VolumeQuotas();
  private final FailureReports reports = new FailureReports();
  private final DamagedFileTable damaged = new DamagedFileTable();
  private final ScrubTable scrub = new ScrubTable();
  private final LowestGrants lowest = new LowestGrants(grants, unsettled);
  private LiveEffect.VolumeCreated created;
  private MetadataCache cache;
  private Lsn lastLsn = Lsn.ZERO;

  public VolumeState(MetadataCache cache, String superuser) {
    this.cache = cache;
    this.sessionTables = new SessionTables(superuser);
    this.sessions = sessionTables.sessions();
    cache.lowestGrants(lowest::of);
  }

  /** The volume is about to be served: its attributes and directories are in this cache. */
  void moveTo(MetadataCache served) {
    cache = served;
    cache.lowestGrants(lowest::of);
    tellCreateFloor();
  }

  /** Files with lost bytes, and a sentence on each. */
  public SortedMap<ObjectId, LiveEffect.FileDamaged> damaged() {
    return damaged.all();
  }

  /** Sentences on files with lost bytes, at most so many. */
  public List<String> damageWords(int most) {
    return damaged.words(most);
  }

  /** How far the scrub of parity is, and what it has found. */
  public ScrubTable scrub() {
    return scrub;
  }

  /** OSDs have no room for more marks of the file's grants. */
  public void crowded(ObjectId object) {
    lowest.crowded(object);
  }

  /** Attributes and directories, as far as they are in memory. */
  public MetadataCache cache() {
    return cache;
  }

  /** Sessions of clients, with their leases. */
  public SessionTable sessions() {
    return sessions;
  }

  /** What requests were answered that may come again in another session. */
  public FirstAnswers firstAnswers() {
    return sessionTables.firstAnswers();
  }

  /** Write grants that are open or await their resolve. */
  public GrantTable grants() {
    return grants;
  }

  /** Grants that wait for ranges that others own. */
  public RecallTable recalls() {
    return recalls;
  }

  /** Whose write grants are wanted by others. */
  public GrantWishes grantWishes() {
    return grantWishes;
  }

  /** Files that others wait for because they are being written. */
  public WantedFiles wanted() {
    return wanted;
  }

  /**
   * Writers that have not answered a recall, or a question, for a whole lease. Also those that seem
   * to be dead while others wait for their files.
   */
  public SortedSet<Lsn> overdue(long nowNanos) {
    SortedSet<Lsn> overdue = new TreeSet<>(recalls.overdue(nowNanos));
    overdue.addAll(lengths.delegated().overdue(nowNanos));
    for (WriteGrant grant : wanted.writers(nowNanos)) {
      if (sessions.isGone(grant.session())) {
        overdue.add(grant.number());
      }
    }
    return overdue;
  }

  /** Components that wait to be rebuilt. */
  public RepairQueue repairs() {
    return repairTables.missing();
  }

  /** What is being written anew. */
  public RebuildTable rebuilds() {
    return repairTables.rebuilds();
  }

  /** What the journal knows of repairs. */
  public RepairTables repairTables() {
    return repairTables;
  }

  /** Grants that have ended and may be lost in part. */
  public UnsettledGrants unsettled() {
    return unsettled;
  }

  /** Attributes as listings show them. */
  public EncodedAttributes encoded() {
    return encoded;
  }

  /** Lengths that writers have published and no record holds. */
  public VolatileLengths lengths() {
    return lengths;
  }

  /** Some writer of the file has not said what it published, or is gone without. */
  private boolean isLengthAwaited(ObjectId object) {
    return grants.of(object).stream()
        .anyMatch(grant -> grant.resolving() || sessions.isUnreclaimed(grant.session()));
  }

  /** Which files sessions have open; not durable: sessions say it again to the next manager. */
  public OpenFiles openFiles() {
    return openFiles;
  }

  /** Byte-range locks. */
  public VolumeLocks locks() {
    return locks;
  }

  /** What sessions were granted for reading. */
  public GrantedReads reads() {
    return sessionTables.reads();
  }

  /**
   * Some session has the file open for reading. Or one may have, since sessions of before the
   * restart have not yet said what they have open (P 6.5).
   */
  public boolean isRead(ObjectId object) {
    return sessions.anyUnreclaimed() || openFiles.isOpen(object);
  }

  /** The session has said to this manager what it has open and caches. */
  public void reclaimed(SessionId session) {
    sessions.reclaimed(session);
    sessionTables.reads().reclaimed(session);
    sessionSettled();
  }

  /** A session has said what it has open, or has ended: orphans may have waited for it alone. */
  private void sessionSettled() {
    lengths.review(this::isLengthAwaited);
    if (!sessions.anyUnreclaimed()) {
      grants.orphans().keySet().forEach(openFiles::mayBeUnread);
    }
  }

  /** Orphans that no client writes or has open any more, in ascending order, at most so many. */
  public List<ObjectId> forsaken(int most) {
    if (sessions.anyUnreclaimed()) {
      return List.of();
    }
    List<ObjectId> found = new ArrayList<>();
    for (ObjectId object : List.copyOf(openFiles.unread())) {
      boolean gone =
          grants.isOrphan(object) && !openFiles.isOpen(object) && grants.find(object).isEmpty();
      if (!gone) {
        // The end of its grant, or its next closing, sees to it.
        openFiles.seen(object);
      } else if (found.size() < most) {
        found.add(object);
      }
    }
    return found;
  }

  /** Numbers as the last record left them. */
  public Counters counters() {
    return counters;
  }

  /** Trees whose usage is counted. */
  public VolumeQuotas quotas() {
    return quotas;
  }

  /** Reports of clients on components that failed. Not durable. */
  public FailureReports reports() {
    return reports;
  }

  /** LSN of the newest record applied. */
  public Lsn lastLsn() {
    return lastLsn;
  }

  /** How the volume was made; empty until its root directory has been journalled. */
  public Optional<LiveEffect.VolumeCreated> created() {
    return Optional.ofNullable(created);
  }

  /** True once the volume's root directory has been journalled. */
  public boolean formatted() {
    return created != null;
  }

  /** A new epoch begins: its numbers are larger than every earlier one (P 6.2). */
  public void begin(long epoch) {
    Lsn first = Lsn.of(epoch, 0);
    if (first.compareTo(lastLsn) <= 0) {
      throw new IllegalStateException(
          "epoch " + epoch + " is not newer than the journal, which ends at " + lastLsn);
    }
    lastLsn = first;
    sessions.begin();
    lengths.begin(epoch, counters.toldUpToNanos());
    openFiles.begin(epoch);
    grants.noAttempts();
    sessionSettled();
    tellCreateFloor();
  }

  /** Applies a record whose effects the cache has just {@link MetadataCache#prepare prepared}. */
  public void apply(JournalRecord record, long nowNanos) {
    cache.applyPrepared(record);
    applyLive(record, nowNanos);
  }

  /** Applies the live effects of a record whose object effects the cache takes in by itself. */
  public void applyLive(JournalRecord record, long nowNanos) {
    for (Effect effect : record.effects()) {
      if (effect instanceof LiveEffect live) {
        applyLive(live, record.lsn(), nowNanos);
      }
    }
    // After the loop: the same record may have ended a grant on what it removes. Journals of before
    // say it only so.
    for (Effect effect : record.effects()) {
      if (effect instanceof ObjectEffect.RemoveObject removed) {
        unsettled.objectRemoved(removed.object());
      }
    }
    lastLsn = record.lsn();
    lengths.review(this::isLengthAwaited);
    tellCreateFloor();
  }

  /**
   * @param lsn of the record in which it stands
   */
  public void applyLive(LiveEffect effect, Lsn lsn, long nowNanos) {
    if (effect instanceof LiveEffect.OfSessions session) {
      apply(session, lsn, nowNanos);
    } else if (effect instanceof LiveEffect.OfGrants grant) {
      grantTables.apply(grant, lsn);
      if (grant instanceof LiveEffect.OrphanRemoved orphan) {
        openFiles.seen(orphan.object());
      }
    } else if (effect instanceof LiveEffect.OfRepairs repair) {
      repairTables.apply(repair);
    } else if (effect instanceof LiveEffect.LaggingCleared copy) {
      // Copies that lag are kept by the cache, which must not read them.
      repairTables.apply(copy);
    } else if (effect instanceof LiveEffect.FileDamaged damage) {
      damaged.apply(damage);
    } else if (effect instanceof LiveEffect.LengthLive length) {
      lengths.apply(length);
    } else if (effect instanceof LiveEffect.Counter counter) {
      counters.apply(counter);
    } else if (effect instanceof QuotaEffect quota) {
      quotas.apply(quota);
    } else if (effect instanceof ScrubEffect of) {
      scrub.apply(of);
    } else if (effect instanceof LiveEffect.OfLocks lock) {
      locks.table().apply(lock, nowNanos);
    } else if (effect instanceof LiveEffect.VolumeCreated volume) {
      created = volume;
    } else if (!(effect instanceof LiveEffect.LaggingAdded)) {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private void apply(LiveEffect.OfSessions effect, Lsn lsn, long nowNanos) {
    if (effect instanceof LiveEffect.SessionClosed closed) {
      boolean waitedFor = sessions.isUnreclaimed(closed.session());
      sessionTables.apply(closed, lsn, nowNanos);
      openFiles.sessionEnded(closed.session());
      locks.table().sessionEnded(closed.session());
      if (waitedFor) {
        sessionSettled();
      }
    } else {
      sessionTables.apply(effect, lsn, nowNanos);
    }
  }

  private void tellCreateFloor() {
    cache.createFloor(createFloor());
  }

  /** What no grant below makes components any more; never falls, also not with another manager. */
  public Lsn createFloor() {
    Lsn first = repairTables.rebuilds().lowestNumber(grants.createFloor(lastLsn.next()));
    Lsn passed = counters.createFloor();
    return first.compareTo(passed) > 0 ? first : passed;
  }

  /**
   * The whole live state as effects that make it again when applied to nothing (P 6.4): each table
   * says what it has.
   */
  public List<LiveEffect> snapshot() {
    List<LiveEffect> effects = new ArrayList<>();
    created().ifPresent(effects::add);
    effects.addAll(counters.snapshot());
    effects.addAll(sessionTables.snapshot());
    effects.addAll(grantTables.snapshot());
    effects.addAll(lengths.snapshot());
    effects.addAll(repairTables.snapshot());
    effects.addAll(damaged.snapshot());
    effects.addAll(locks.table().snapshot());
    effects.addAll(quotas.snapshot());
    effects.addAll(scrub.snapshot());
    effects.addAll(cache.laggingState());
    return effects;
  }
}
