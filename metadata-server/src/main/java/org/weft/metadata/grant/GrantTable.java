package org.weft.metadata.grant;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * The write grants of one volume, one at most on each file, and the orphans: objects without a name
 * that live until their grant ends (P 6.4, 6.5, 6.6). Everything comes from the journal. Pure,
 * confined to the volume's thread.
 */
public final class GrantTable {
  /** Files that may be written at the same time; past it creations are refused. */
  public static final int MAX_GRANTS = 100_000;

  private final TreeMap<Lsn, WriteGrant> grants = new TreeMap<>();
  private final Map<ObjectId, Lsn> byObject = new HashMap<>();
  private final Map<SessionId, TreeSet<Lsn>> bySession = new HashMap<>();
  private final TreeMap<ObjectId, List<OsdId>> orphans = new TreeMap<>();
  private int resolving;

  /** Files that one client may write at the same time. */
  public static final int MAX_GRANTS_OF_SESSION = 10_000;

  /**
   * @throws RpcException OVERLOADED if there are as many grants as may be, INVALID_ARGUMENT if the
   *     session has as many as it may
   */
  public void requireRoom(SessionId session) throws RpcException {
    TreeSet<Lsn> ofSession = bySession.get(session);
    if (ofSession != null && ofSession.size() >= MAX_GRANTS_OF_SESSION) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "session "
              + session
              + " writes "
              + MAX_GRANTS_OF_SESSION
              + " files, as many as one client may; close some");
    }
    if (grants.size() >= MAX_GRANTS) {
      throw new RpcException(
          ErrorCode.OVERLOADED,
          MAX_GRANTS + " files are being written, as many as this manager takes; close some");
    }
  }

  /**
   * @throws RpcException BEING_WRITTEN naming the writer, if the file has one or had one whose
   *     writes are still to be put in order
   */
  public void requireUnwritten(ObjectId object, String what) throws RpcException {
    Optional<WriteGrant> found = find(object);
    if (found.isEmpty()) {
      return;
    }
    WriteGrant grant = found.get();
    String since = Instant.ofEpochMilli(grant.sinceMillis()).toString();
    throw new RpcException(
        ErrorCode.BEING_WRITTEN,
        grant.resolving()
            ? what
                + " was being written by "
                + grant.clientName()
                + " since "
                + since
                + ", which stopped without closing it; its last writes are being resolved, try again"
            : what + " is being written by " + grant.clientName() + " since " + since);
  }

  /**
   * The grant a client names when it closes a file.
   *
   * @throws RpcException GRANT_REVOKED if it is not this session's, or has ended
   */
  public WriteGrant requireHeld(Lsn number, ObjectId object, SessionId session)
      throws RpcException {
    WriteGrant grant = grants.get(number);
    boolean held =
        grant != null
            && grant.object().equals(object)
            && grant.session().equals(session)
            && !grant.resolving();
    if (!held) {
      throw new RpcException(
          ErrorCode.GRANT_REVOKED,
          "session "
              + session
              + " holds no grant "
              + number
              + " on object "
              + object
              + ": it was closed, or taken back when the session lapsed");
    }
    return grant;
  }

  public Optional<WriteGrant> find(ObjectId object) {
    return Optional.ofNullable(byObject.get(object)).map(grants::get);
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

  /** Grants whose writers are gone, oldest first. */
  public List<WriteGrant> resolving() {
    return resolving == 0
        ? List.of()
        : grants.values().stream().filter(WriteGrant::resolving).toList();
  }

  public boolean isOrphan(ObjectId object) {
    return orphans.containsKey(object);
  }

  /** Every OSD of the orphan's map. */
  public List<OsdId> holdersOfOrphan(ObjectId object) {
    return orphans.get(object);
  }

  /** Below it no grant can create an object any more (P 6.6). */
  public Lsn createFloor(Lsn nextLsn) {
    return grants.isEmpty() ? nextLsn : grants.firstKey();
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

  /** Applies a journalled grant. */
  public void open(WriteGrant grant) {
    grants.put(grant.number(), grant);
    byObject.put(grant.object(), grant.number());
    bySession.computeIfAbsent(grant.session(), key -> new TreeSet<>()).add(grant.number());
    resolving += grant.resolving() ? 1 : 0;
  }

  /** Applies the end of a grant; one that has ended already is no error. */
  public void close(Lsn number) {
    WriteGrant grant = grants.remove(number);
    if (grant == null) {
      return;
    }
    resolving -= grant.resolving() ? 1 : 0;
    byObject.remove(grant.object(), number);
    TreeSet<Lsn> ofSession = bySession.get(grant.session());
    ofSession.remove(number);
    if (ofSession.isEmpty()) {
      bySession.remove(grant.session());
    }
  }

  /** Applies that a grant's writer is gone. */
  public void markResolving(Lsn number) {
    WriteGrant grant = grants.get(number);
    if (grant != null && !grant.resolving()) {
      grants.put(number, grant.toResolving());
      resolving++;
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
