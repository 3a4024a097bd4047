package org.weft.metadata.lock;

import com.google.protobuf.ByteString;
import java.util.Comparator;
import org.weft.metadata.journal.LockEffect;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.LockSpace;

/**
 * The owner of a lock: a process or an open file, as its client names it.
 *
 * @param space an owner of one space is another one than that of the same key in the other
 * @param key 1 to {@value #MAX_KEY_BYTES} bytes; alike in another session it is another owner
 */
public record SessionLockOwner(SessionId session, LockSpace space, ByteString key)
    implements Comparable<SessionLockOwner> {
  public static final int MAX_KEY_BYTES = 64;

  private static final Comparator<SessionLockOwner> ORDER =
      Comparator.comparing(SessionLockOwner::session)
          .thenComparing(SessionLockOwner::space)
          .thenComparing(SessionLockOwner::key, ByteString.unsignedLexicographicalComparator());

  public SessionLockOwner {
    if (key.isEmpty() || key.size() > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "the owner of a lock has 1 to "
              + MAX_KEY_BYTES
              + " bytes, got "
              + key.size()
              + "; hash longer ones");
    }
  }

  /** The same owner in another session, or in this one. */
  boolean isSame(SessionLockOwner other) {
    return space == other.space && key.equals(other.key);
  }

  /** What the one has locked may be in the way of the other. */
  boolean isRival(SessionLockOwner other) {
    return space == other.space && !equals(other);
  }

  /** The record that the owner has locked this of the file, and no more. */
  public LockEffect.LocksHeld holds(ObjectId object, HeldLocks held) {
    return new LockEffect.LocksHeld(object, session, space, key, held.shared(), held.exclusive());
  }

  @Override
  public int compareTo(SessionLockOwner other) {
    return ORDER.compare(this, other);
  }
}
