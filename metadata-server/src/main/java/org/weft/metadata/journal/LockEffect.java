package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.LockSpace;

/** An effect on byte-range locks (P 6.5). */
public sealed interface LockEffect extends LiveEffect.OfLocks {
  /**
   * The ranges that the owner has locked in the file, and no others. Without any range it has no
   * lock.
   */
  record LocksHeld(
      ObjectId object,
      SessionId session,
      LockSpace space,
      ByteString owner,
      ByteRanges shared,
      ByteRanges exclusive)
      implements LockEffect {
    public LocksHeld {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(session, "session");
      Objects.requireNonNull(space, "space");
      Objects.requireNonNull(owner, "owner");
      Objects.requireNonNull(shared, "shared");
      Objects.requireNonNull(exclusive, "exclusive");
    }
  }

  /**
   * Locks of a session that this record ends are kept. Their time starts again at a start of the
   * manager.
   */
  record LocksKept(SessionId session, String user, LockKeeping keeping, String clientName)
      implements LockEffect {
    public LocksKept {
      Objects.requireNonNull(session, "session");
      Objects.requireNonNull(user, "user");
      Objects.requireNonNull(keeping, "keeping");
      Objects.requireNonNull(clientName, "clientName");
    }
  }

  /** The locks of a session that had ended and were kept are no more. */
  record LocksDropped(SessionId session) implements LockEffect {}

  /** The file is gone, and so are all locks on it. */
  record FileUnlocked(ObjectId object) implements LockEffect {}
}
