package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Objects;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.LockSpace;

/** An effect on byte-range locks (P 6.5). */
public sealed interface LockEffect extends LiveEffect.OfLocks {
  /** The owner has locked this of the file and no more; nothing of both kinds: nothing. */
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

  /** Locks of a session that this record ends are kept; their time begins anew at a start. */
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

  /** Nothing of the file is locked any more, for it is gone. */
  record FileUnlocked(ObjectId object) implements LockEffect {}
}
