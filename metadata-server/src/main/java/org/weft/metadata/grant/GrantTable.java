package org.weft.metadata.grant;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.layout.StorageMap;

/**
 * The write grants of one volume, and the orphans: objects without a name that live until their
 * last grant ends (P 6.4, 6.5, 6.6). A file has one grant, or several that are all shared.
 * Everything comes from the journal. Pure, confined to the volume's thread.
 */
public final class GrantTable {
  /** Files that may be written at the same time; past it creations are refused. */
  public static final int MAX_GRANTS = 100_000;

  private final TreeMap<Lsn, WriteGrant> grants = new TreeMap<>();
  private final RangeTable ranges = new RangeTable();
  private final Map<ObjectId, TreeSet<Lsn>> byObject = new HashMap<>();
  private final Map<SessionId, TreeSet<Lsn>> bySession = new HashMap<>();
  private final TreeMap<ObjectId, List<OsdId>> orphans = new TreeMap<>();
  private final TreeSet<Lsn> held = new TreeSet<>();
  private final RevokedGrants revoked = new RevokedGrants();
  private final Map<ObjectId, Integer> openings = new HashMap<>();
  private final Map<ObjectId, Lsn> attempts = new HashMap<>();
  private final TreeMap<Lsn, ObjectId> attempted = new TreeMap<>();
  private int resolving;

  /** Files that one client may write at the same time. */
  public static final int MAX_GRANTS_OF_SESSION = 10_000;

  /** Grants on one file. */
  public static final int MAX_GRANTS_OF_FILE = 1_000;

  /**
   * @throws WeftException OVERLOADED if there are as many grants as may be, INVALID_ARGUMENT if the
   *     session has as many as it may
   */
  public void requireRoom(SessionId session) throws WeftException {
    TreeSet<Lsn> ofSession = bySession.get(session);
    if (ofSession != null && ofSession.size() >= MAX_GRANTS_OF_SESSION) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "session "
              + session
              + " writes "
              + MAX_GRANTS_OF_SESSION
              + " files, as many as one client may; close some");
    }
    if (grants.size() >= MAX_GRANTS) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          MAX_GRANTS + " files are being written, as many as this manager takes; close some");
    }
  }

  /**
   * @throws WeftException BEING_WRITTEN naming the writer, if the file has one or had one whose
   *     writes are still to be put in order
   */
  public void requireUnwritten(ObjectId object, String what) throws WeftException {
    Optional<WriteGrant> found = find(object);
    if (found.isPresent()) {
      throw beingWritten(found.get(), what);
    }
  }

  /**
   * @throws WeftException BEING_WRITTEN naming the writer, if the file has a writer that does not
   *     share it. Also if it had one whose writes are still to be put in order. OVERLOADED if it
   *     has as many as may be
   */
  public void requireShareable(ObjectId object, String what) throws WeftException {
    List<WriteGrant> all = of(object);
    for (WriteGrant grant : all) {
      if (!grant.shared() || grant.awaitsResolve()) {
        throw beingWritten(grant, what);
      }
    }
    if (all.size() >= MAX_GRANTS_OF_FILE) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          what + " has " + MAX_GRANTS_OF_FILE + " writers, as many as may share a file");
    }
  }

  private WeftException beingWritten(WriteGrant grant, String what) {
    String since = Instant.ofEpochMilli(grant.sinceMillis()).toString();
    int others = byObject.get(grant.object()).size() - 1;
    String writers = grant.clientName() + (others == 0 ? "" : " and " + others + " more");
    return new WeftException(
        ErrorCode.BEING_WRITTEN,
        grant.resolving()
            ? what
                + " was being written by "
                + grant.clientName()
                + " since "
                + since
                + ", which stopped without closing it; its last writes are being resolved, try again"
            : what
                + " is being written by "
                + writers
                + " since "
                + since
                + (grant.shared() ? ", shared" : ""));
  }

  /**
   * The grant a client names when it closes a file.
   *
   * @throws WeftException GRANT_REVOKED if it is not this session's, or has ended
   */
  public WriteGrant requireHeld(Lsn number, ObjectId object, SessionId session)
      throws WeftException {
    WriteGrant grant = grants.get(number);
    boolean held =
        grant != null
            && grant.object().equals(object)
            && grant.session().equals(session)
            && !grant.resolving();
    if (!held) {
      throw new WeftException(
          ErrorCode.GRANT_REVOKED,
          "session "
              + session
              + " holds no grant "
              + number
              + " on object "
              + object
              + ": "
              + revoked
                  .reason(number)
                  .orElse("it was closed, or taken back when the session lapsed"));
    }
    return grant;
  }

  /** The grant was taken from its holder, as far back as that is remembered. */
  public boolean isRevoked(Lsn number) {
    return revoked.reason(number).isPresent();
  }

  /** Applies that a grant was taken from its holder. */
  public void revoke(Lsn number, String why) {
    revoked.add(number, why);
  }

  /** Why the newest of those that were taken from their holders were. */
  public SortedMap<Lsn, String> revoked() {
    return revoked.all();
  }

  /** The oldest grant on the file. */
  public Optional<WriteGrant> find(ObjectId object) {
    return Optional.ofNullable(byObject.get(object)).map(TreeSet::first).map(grants::get);
  }

  /** All grants on the file, oldest first. */
  public List<WriteGrant> of(ObjectId object) {
    return byObject.getOrDefault(object, new TreeSet<>()).stream().map(grants::get).toList();
  }

  /** True if the file has no other grant, not even one that is still being resolved. */
  public boolean isAlone(WriteGrant grant) {
    return byObject.getOrDefault(grant.object(), new TreeSet<>()).size() == 1;
  }

  /** Some writer of the file is gone or lost a component, and what it left is not in order. */
  public boolean awaitsResolve(ObjectId object) {
    return of(object).stream().anyMatch(WriteGrant::awaitsResolve);
  }

  /**
   * The floor of a new grant. No grant on the file that is still written under is smaller. So
   * writers that share the file do not shut each other out (P 5.7).
   *
   * @param replaced by the new one; ZERO if none is
   */
  public Lsn floor(ObjectId object, Lsn number, Lsn replaced) {
    return of(object).stream()
        .filter(grant -> grant.state() == WriteGrant.State.HELD)
        .filter(grant -> !grant.number().equals(replaced))
        .map(WriteGrant::number)
        .findFirst()
        .orElse(number);
  }

  /** From here on nothing that was written to the file is known to be in order; ZERO: all is. */
  private Lsn unresolvedFrom(ObjectId object) {
    return awaitsResolve(object)
        ? of(object).stream().map(WriteGrant::first).min(Lsn::compareTo).orElse(Lsn.ZERO)
        : Lsn.ZERO;
  }

  /**
   * The first grant under which anything of the file may be pending; empty if nothing is. Under a
   * superseded grant nothing is pending once the file was resolved.
   */
  public Optional<Lsn> lowest(ObjectId object) {
    boolean unresolved = awaitsResolve(object);
    return of(object).stream()
        .filter(grant -> unresolved || grant.state() == WriteGrant.State.HELD)
        .map(grant -> unresolved ? grant.first() : grant.number())
        .min(Lsn::compareTo);
  }

  /** Which ranges each grant owns. */
  public RangeTable ranges() {
    return ranges;
  }

  /**
   * Grants on the file that own some of the range so that another one cannot own it for that use,
   * oldest first.
   */
  public List<WriteGrant> ownersOf(ObjectId object, ByteRange range, RangeUse use, Lsn except) {
    return of(object).stream()
        .filter(grant -> !grant.number().equals(except))
        .filter(grant -> ranges.of(grant.number()).excludes(range, use))
        .toList();
  }

  public Optional<WriteGrant> find(Lsn number) {
    return Optional.ofNullable(grants.get(number));
  }

  /** The grants of a session that are not being resolved, oldest first. */
  public List<WriteGrant> heldBy(SessionId session) {
    List<WriteGrant> held = new ArrayList<>();
    for (Lsn number : bySession.getOrDefault(session, new TreeSet<>())) {
      WriteGrant grant = grants.get(number);
      if (!grant.resolving()) {
        held.add(grant);
      }
    }
    return held;
  }

  /**
   * The oldest grant of each file that is to be put in order, in ascending order. Only grants count
   * whose writer is gone or has lost a component. What was written under any grant on the file,
   * from its first on, is to be put in order with it.
   */
  public List<WriteGrant> resolving() {
    if (resolving == 0) {
      return List.of();
    }
    Set<ObjectId> seen = new HashSet<>();
    return grants.values().stream()
        .filter(grant -> grant.awaitsResolve() && seen.add(grant.object()))
        .map(grant -> grant.since(unresolvedFrom(grant.object())))
        .toList();
  }

  public boolean isOrphan(ObjectId object) {
    return orphans.containsKey(object);
  }

  /** Every OSD of the orphan's map. */
  public List<OsdId> holdersOfOrphan(ObjectId object) {
    return orphans.get(object);
  }

  /**
   * The smallest number under which a writer may make components without asking for another grant
   * first (P 6.6). It is that of a grant that is held, or of an attempt to resolve a file that is
   * under way.
   */
  public Lsn createFloor(Lsn nextLsn) {
    Lsn first = held.isEmpty() ? nextLsn : held.first();
    return lower(first, firstAttempt(nextLsn));
  }

  /** Attempts alone: they are not to be begun again for a floor. */
  public Lsn firstAttempt(Lsn nextLsn) {
    return attempted.isEmpty() ? nextLsn : lower(attempted.firstKey(), nextLsn);
  }

  private static Lsn lower(Lsn one, Lsn other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  /**
   * Applies that an attempt to resolve a file begins; the one before has ended.
   *
   * @param number of the attempt, which no other has
   */
  public void attempt(ObjectId object, Lsn number) {
    noAttempt(object);
    attempts.put(object, number);
    attempted.put(number, object);
  }

  /**
   * A grant of the manager's own under which nothing was sent to any OSD yet. This process made it,
   * and no attempt to resolve the file has begun since.
   */
  public boolean isUnused(WriteGrant grant) {
    return grant.session().equals(WriteGrant.NO_SESSION)
        && grant.number().equals(attempts.get(grant.object()));
  }

  /** No attempt to resolve the file is under way. */
  public void noAttempt(ObjectId object) {
    Lsn number = attempts.remove(object);
    if (number != null) {
      attempted.remove(number);
    }
  }

  /** None is under way: a manager begins. */
  public void noAttempts() {
    attempts.clear();
    attempted.clear();
  }

  private void dropAttempt(ObjectId object) {
    if (attempts.containsKey(object) && !awaitsResolve(object)) {
      noAttempt(object);
    }
  }

  public int size() {
    return grants.size();
  }

  public int resolvingCount() {
    return resolving;
  }

  /** All grants, oldest first. */
  public Collection<WriteGrant> all() {
    return grants.values();
  }

  /** All orphans and their holders, in ascending order. */
  public Map<ObjectId, List<OsdId>> orphans() {
    return orphans;
  }

  /** Counts the grants on the object that are opened from now on; known to this process alone. */
  public void watchOpenings(ObjectId object) {
    openings.put(object, 0);
  }

  /** How many grants on the object were opened since it is watched; 0 if it is not. */
  public int openings(ObjectId object) {
    return openings.getOrDefault(object, 0);
  }

  /** Nothing is counted any more. */
  public void unwatchOpenings(ObjectId object) {
    openings.remove(object);
  }

  /** Applies a journalled grant. */
  public void open(WriteGrant grant) {
    put(grant);
    openings.computeIfPresent(grant.object(), (object, count) -> count + 1);
    byObject.computeIfAbsent(grant.object(), key -> new TreeSet<>()).add(grant.number());
    bySession.computeIfAbsent(grant.session(), key -> new TreeSet<>()).add(grant.number());
  }

  private void put(WriteGrant grant) {
    WriteGrant before = grants.put(grant.number(), grant);
    resolving -= before != null && before.awaitsResolve() ? 1 : 0;
    resolving += grant.awaitsResolve() ? 1 : 0;
    if (grant.state() == WriteGrant.State.HELD) {
      held.add(grant.number());
    } else {
      held.remove(grant.number());
    }
    dropAttempt(grant.object());
  }

  /** Applies the end of a grant; one that has ended already is no error. */
  public void close(Lsn number) {
    WriteGrant grant = grants.remove(number);
    if (grant == null) {
      return;
    }
    resolving -= grant.awaitsResolve() ? 1 : 0;
    held.remove(number);
    ranges.drop(number);
    remove(byObject, grant.object(), number);
    remove(bySession, grant.session(), number);
    dropAttempt(grant.object());
  }

  private static <K> void remove(Map<K, TreeSet<Lsn>> index, K key, Lsn number) {
    TreeSet<Lsn> numbers = index.get(key);
    numbers.remove(number);
    if (numbers.isEmpty()) {
      index.remove(key);
    }
  }

  /**
   * Applies that a grant's writer is gone. All other writers of the file are fenced with it, and
   * ask for another grant once what was half written is in order (P 5.5).
   */
  public void markResolving(Lsn number) {
    WriteGrant grant = grants.get(number);
    if (grant != null && !grant.resolving()) {
      put(grant.in(WriteGrant.State.RESOLVING));
      fenceOthers(grant);
    }
  }

  /** Applies that a grant's writer has lost a component: as if it were gone, but it comes back. */
  public void markRenewing(Lsn number) {
    WriteGrant grant = grants.get(number);
    if (grant != null && !grant.resolving()) {
      put(grant.in(WriteGrant.State.RENEWING));
      fenceOthers(grant);
    }
  }

  private void fenceOthers(WriteGrant grant) {
    for (WriteGrant other : of(grant.object())) {
      if (other.state() == WriteGrant.State.HELD) {
        put(other.in(WriteGrant.State.SUPERSEDED));
      }
    }
  }

  /** Applies that a grant is fenced and its holder is to ask for another. */
  public void supersede(Lsn number) {
    WriteGrant grant = grants.get(number);
    if (grant != null && !grant.resolving()) {
      put(grant.in(WriteGrant.State.SUPERSEDED));
    }
  }

  /** Applies that the file of a grant has another map. */
  public void move(Lsn number, StorageMap map) {
    WriteGrant grant = grants.get(number);
    if (grant != null) {
      put(grant.movedTo(map));
    }
  }

  /** Applies what was decided of OSDs that lost power; one that has ended is no error. */
  public void suspect(Lsn number, SuspectOsds osds) {
    WriteGrant grant = grants.get(number);
    if (grant != null) {
      put(grant.suspecting(osds));
    }
  }

  /** Applies what a grant owns from now on; one that has ended owns nothing. */
  public void own(Lsn number, OwnedStripes owned) {
    if (grants.containsKey(number)) {
      ranges.put(number, owned);
    }
  }

  /** Applies that an object lost its name while it is being written. */
  public void addOrphan(ObjectId object, List<OsdId> holders) {
    orphans.put(object, List.copyOf(holders));
  }

  /** Applies that an orphan is one no more. */
  public void removeOrphan(ObjectId object) {
    orphans.remove(object);
  }
}
