package org.weft.metadata.volume.operation.lock;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.lock.SessionLockOwner;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.LockTarget;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.LockRangeReply;

/**
 * Locks bytes of a file for an owner of the session, in the place of what it has locked there (P
 * 6.5). The lock is given at once and as a whole, or not at all. The answer leaves when its record
 * is durable, and survives this manager.
 *
 * <p>A shared lock needs the permission to read or to write the file, an exclusive one the
 * permission to write it. Ways to open it are locked in either mode with one of the two.
 *
 * @param ownerKey see {@link SessionLockOwner}
 * @param waitNumber another for each lock that the owner waits for; 0: it does not wait
 * @param detectDeadlock a lock is refused if its wait would close a deadlock
 * @param reclaim the owner gets its locks of ended sessions that are kept for this one
 * @param takeOver with reclaim: also takes what the owner has locked in sessions that go on, if
 *     those locks would be kept for it. Its client has come from one gateway to another (P 6.5f)
 * @param heldAlone with reclaim, and always with takeOver: the owner has in this session only what
 *     it had before. That counts if it did not have all of the range all the time. If it were
 *     locked until the client unlocks it, and the client died before, it would be kept as if it had
 *     been held. Clients of earlier releases do not ask for it, and count as holders of all of it
 * @param space of the range
 */
public record LockRange(
    LockTarget path,
    ByteString ownerKey,
    ByteRange range,
    boolean exclusive,
    long waitNumber,
    boolean detectDeadlock,
    boolean reclaim,
    boolean takeOver,
    boolean heldAlone,
    LockSpace space)
    implements Operation {
  /** Bytes, as clients of earlier releases ask for them. */
  public LockRange(
      LockTarget path,
      ByteString ownerKey,
      ByteRange range,
      boolean exclusive,
      long waitNumber,
      boolean detectDeadlock,
      boolean reclaim) {
    this(
        path,
        ownerKey,
        range,
        exclusive,
        waitNumber,
        detectDeadlock,
        reclaim,
        false,
        false,
        LockSpace.BYTES);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = LockReplies.file(on, path);
    requirePermission(on, file);
    LockTable locks = on.locks().table();
    ObjectId object = file.object();
    SessionLockOwner owner = new SessionLockOwner(on.session().id(), space, ownerKey);
    // What is locked has no LSN of its own.
    on.view().sawAll();
    SortedSet<SessionLockOwner> predecessors = predecessors(on, object, owner);
    List<LockTable.Holding> inTheWay =
        locks.inTheWay(object, owner, range, exclusive).stream()
            .filter(holding -> !predecessors.contains(holding.owner()))
            .toList();
    if (!inTheWay.isEmpty()) {
      return refused(on, object, owner, inTheWay);
    }
    HeldLocks before = locks.of(object, owner);
    HeldLocks reclaimed = before;
    Map<SessionLockOwner, HeldLocks> wanted = new TreeMap<>();
    for (SessionLockOwner predecessor : predecessors) {
      HeldLocks kept = locks.of(object, predecessor);
      reclaimed = reclaimed.plus(kept.within(range));
      wanted.put(predecessor, kept.without(range));
    }
    boolean whole = reclaimed.covers(range, exclusive);
    HeldLocks after =
        !whole && reclaim && (takeOver || heldAlone) ? reclaimed : before.with(range, exclusive);
    wanted.put(owner, after);
    locks.requireRoom(object, wanted);
    for (SessionLockOwner predecessor : predecessors) {
      put(on, object, predecessor, locks.of(object, predecessor), wanted.get(predecessor));
    }
    put(on, object, owner, before, after);
    on.locks().waits().granted(object, owner, waitNumber);
    return LockRangeReply.newBuilder()
        .setObjectId(object.value())
        .setOutcome(LockRangeReply.Outcome.GRANTED)
        .addAllBefore(LockReplies.ranges(before.within(range)))
        .setReclaimed(reclaim && whole)
        .build();
  }

  private void requirePermission(Execution on, Attributes file) throws WeftException {
    if (LockReplies.isOwner(on, path, file)) {
      return;
    }
    boolean needsWrite = exclusive && space == LockSpace.BYTES;
    if (needsWrite || !Permissions.allows(file, on.credentials(), Permissions.READ)) {
      Permissions.require(file, on.credentials(), Permissions.WRITE, path);
    }
  }

  private SortedSet<SessionLockOwner> predecessors(
      Execution on, ObjectId object, SessionLockOwner owner) throws WeftException {
    if (!reclaim) {
      return new TreeSet<>();
    }
    Optional<LockKeeping> keeping = on.session().keeping();
    if (keeping.isEmpty()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "only a session whose own locks are kept may reclaim others; open it so, with the key of"
              + " the one before");
    }
    // The session's own user, whatever user it asks for: sessions succeed each other, not users.
    String user = on.session().credentials().user();
    SortedSet<SessionLockOwner> all =
        on.locks().table().predecessors(object, owner, user, keeping.get());
    if (takeOver) {
      on.locks().table().sameElsewhere(object, owner).stream()
          .filter(
              other ->
                  on.sessions()
                      .find(other.session())
                      .filter(session -> isFor(session, user, keeping.get()))
                      .isPresent())
          .forEach(all::add);
    }
    return all;
  }

  /** When the session has ended its locks will be for a session of that user with that key. */
  private static boolean isFor(Session session, String user, LockKeeping shown) {
    return session.credentials().user().equals(user)
        && session.keeping().filter(each -> each.key().equals(shown.key())).isPresent();
  }

  private static void put(
      Execution on, ObjectId object, SessionLockOwner owner, HeldLocks before, HeldLocks after) {
    if (!after.equals(before)) {
      on.draft().add(owner.holds(object, after));
    }
  }

  private MessageLite refused(
      Execution on, ObjectId object, SessionLockOwner owner, List<LockTable.Holding> inTheWay)
      throws WeftException {
    boolean deadlock =
        waitNumber != 0
            && detectDeadlock
            && on.locks().waits().isDeadlock(on.locks().table(), owner, inTheWay, on.nowNanos());
    if (waitNumber != 0 && !deadlock) {
      on.locks()
          .waits()
          .waits(object, owner, waitNumber, range, exclusive, detectDeadlock, on.nowNanos());
    }
    return LockRangeReply.newBuilder()
        .setObjectId(object.value())
        .setOutcome(deadlock ? LockRangeReply.Outcome.DEADLOCK : LockRangeReply.Outcome.HELD)
        .setHolder(LockReplies.holder(on, inTheWay.get(0)))
        .build();
  }
}
