package org.weft.metadata.volume.operation.lock;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.lock.SessionLockOwner;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.LockTarget;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.ListLocksReply;

/**
 * Lists which owner has locked what of a file (P 6.5), for users that may read or write the file.
 *
 * @param wanted of an owner of the session: only conflicting locks are listed; empty: all locks of
 *     bytes
 * @param space of the wanted range
 */
public record ListLocks(
    LockTarget path, ByteString ownerKey, Optional<HeldLocks.Lock> wanted, LockSpace space)
    implements Operation {
  /** Lists locks on bytes. */
  public ListLocks(LockTarget path, ByteString ownerKey, Optional<HeldLocks.Lock> wanted) {
    this(path, ownerKey, wanted, LockSpace.BYTES);
  }

  static final int MAX_HOLDERS = 1_000;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = LockReplies.file(on, path);
    if (!LockReplies.isOwner(on, path, file)
        && !Permissions.allows(file, on.credentials(), Permissions.WRITE)) {
      Permissions.require(file, on.credentials(), Permissions.READ, path);
    }
    on.view().sawAll();
    List<LockTable.Holding> found = found(on, file);
    return ListLocksReply.newBuilder()
        .addAllHolder(
            found.stream()
                .limit(MAX_HOLDERS)
                .map(holding -> LockReplies.holder(on, holding))
                .toList())
        .setTotal(found.size())
        .build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  private List<LockTable.Holding> found(Execution on, Attributes file) {
    LockTable locks = on.locks().table();
    if (wanted.isEmpty()) {
      return locks.all(file.object());
    }
    SessionLockOwner owner = new SessionLockOwner(on.session().id(), space, ownerKey);
    return locks.inTheWay(file.object(), owner, wanted.get().range(), wanted.get().exclusive());
  }
}
