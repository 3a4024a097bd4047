package org.weft.metadata.session;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * Which sessions have which files open for reading, so that a file without a name lives until the
 * last of them has closed it. Nothing of it is in the journal. After a restart the sessions say
 * again what they have open (P 6.5), and nothing is removed before all have.
 *
 * <p>Every opening has a number, larger than all earlier ones of the volume. A close names the
 * largest number that its session has seen, so that it does not undo an opening whose answer is
 * still under way. Pure, confined to the volume's thread.
 */
public final class OpenFiles {
  /** Files that one session may have open for reading. */
  public static final int MAX_FILES_OF_SESSION = 100_000;

  /** The same of one that stands for many users. */
  public static final int MAX_FILES_OF_TRUSTED = 500_000;

  /** Files that all sessions together may have open for reading. */
  public static final int MAX_FILES = 1_000_000;

  private final Map<SessionId, TreeMap<ObjectId, Lsn>> bySession = new HashMap<>();
  private final Map<ObjectId, Integer> sessionsOf = new HashMap<>();
  private final TreeSet<ObjectId> unread = new TreeSet<>();
  private final Predicate<ObjectId> nameless;
  private Lsn lastNumber = Lsn.ZERO;
  private int size;

  /**
   * @param nameless whether an object has no name any more
   */
  public OpenFiles(Predicate<ObjectId> nameless) {
    this.nameless = nameless;
  }

  /** Numbers from now on are larger than all of earlier epochs. */
  public void begin(long epoch) {
    lastNumber = Lsn.of(epoch, 0);
  }

  /**
   * The session has opened the file, once more or for the first time.
   *
   * @return the number of this opening
   * @throws WeftException INVALID_ARGUMENT if the session has as many open as it may, OVERLOADED if
   *     all have
   */
  public Lsn open(SessionId session, ObjectId object) throws WeftException {
    return open(session, object, MAX_FILES_OF_SESSION);
  }

  /** The same for a session that may have so many open. */
  public Lsn open(SessionId session, ObjectId object, int most) throws WeftException {
    TreeMap<ObjectId, Lsn> ofSession = bySession.get(session);
    boolean known = ofSession != null && ofSession.containsKey(object);
    if (!known && ofSession != null && ofSession.size() >= most) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "session "
              + session
              + " has "
              + most
              + " files open for reading, as many as one client may; close some");
    }
    if (!known && size >= MAX_FILES) {
      throw new WeftException(
          ErrorCode.OVERLOADED,
          MAX_FILES + " files are open for reading, as many as this manager takes; close some");
    }
    lastNumber = lastNumber.next();
    put(session, object, lastNumber);
    return lastNumber;
  }

  /** More than half of what all sessions together may have open is open. */
  public boolean isHalfFull() {
    return size > MAX_FILES / 2;
  }

  /** The session says that it has the file open since before the restart. */
  public void reclaim(SessionId session, ObjectId object) {
    if (size < MAX_FILES && !holds(session, object)) {
      put(session, object, Lsn.ZERO);
    }
  }

  private void put(SessionId session, ObjectId object, Lsn number) {
    TreeMap<ObjectId, Lsn> ofSession = bySession.computeIfAbsent(session, key -> new TreeMap<>());
    if (ofSession.put(object, number) == null) {
      sessionsOf.merge(object, 1, Integer::sum);
      size++;
    }
  }

  /**
   * The session has the file open no more, unless it opened it later than it says.
   *
   * @param upTo the largest number that the session has seen
   */
  public void close(SessionId session, ObjectId object, Lsn upTo) {
    TreeMap<ObjectId, Lsn> ofSession = bySession.get(session);
    Lsn number = ofSession == null ? null : ofSession.get(object);
    if (number == null || number.compareTo(upTo) > 0) {
      return;
    }
    ofSession.remove(object);
    if (ofSession.isEmpty()) {
      bySession.remove(session);
    }
    released(object);
  }

  /** The session is no more, and has nothing open. */
  public void sessionEnded(SessionId session) {
    TreeMap<ObjectId, Lsn> ofSession = bySession.remove(session);
    if (ofSession != null) {
      ofSession.keySet().forEach(this::released);
    }
  }

  private void released(ObjectId object) {
    size--;
    sessionsOf.computeIfPresent(object, (key, count) -> count == 1 ? null : count - 1);
    if (!isOpen(object) && nameless.test(object)) {
      unread.add(object);
    }
  }

  public boolean isOpen(ObjectId object) {
    return sessionsOf.containsKey(object);
  }

  public boolean holds(SessionId session, ObjectId object) {
    TreeMap<ObjectId, Lsn> ofSession = bySession.get(session);
    return ofSession != null && ofSession.containsKey(object);
  }

  /** How many files all sessions have open, a file counting once for each session. */
  public int size() {
    return size;
  }

  /** No session may have the object open any more, or none ever had: see {@link #unread}. */
  public void mayBeUnread(ObjectId object) {
    unread.add(object);
  }

  /**
   * It needs no second look: it is gone, or the end of its grant or its next closing sees to it.
   */
  public void seen(ObjectId object) {
    unread.remove(object);
  }

  /** Objects without a name that a session has closed since they were seen. */
  public SortedSet<ObjectId> unread() {
    return unread;
  }
}
