package org.weft.metadata.volume;

import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.KeptLocks;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.session.Session;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.LockHolder;
import org.weft.protocol.wire.LockedRange;

/** What answers about byte-range locks have in common. */
final class LockReplies {
  private LockReplies() {}

  /**
   * The file at the end of a path.
   *
   * @throws RpcException IS_DIRECTORY for a directory
   */
  static Attributes file(Execution on, NodePath path) throws NotCached, RpcException {
    Attributes file = on.walk().node(path);
    if (file.isDirectory()) {
      throw new RpcException(
          ErrorCode.IS_DIRECTORY, path + " is a directory; ranges of files are locked");
    }
    return file;
  }

  static List<LockedRange> ranges(HeldLocks locks) {
    return locks.all().stream().map(LockReplies::range).toList();
  }

  private static LockedRange range(HeldLocks.Lock lock) {
    return LockedRange.newBuilder()
        .setFrom(lock.range().from())
        .setTo(lock.range().toInMessage())
        .setExclusive(lock.exclusive())
        .build();
  }

  static LockHolder holder(Execution on, LockTable.Holding holding) {
    SessionId session = holding.owner().session();
    boolean kept = on.locks().table().kept(session).isPresent();
    String clientName =
        on.sessions()
            .find(session)
            .map(Session::clientName)
            .or(() -> on.locks().table().kept(session).map(KeptLocks::clientName))
            .orElse("");
    return LockHolder.newBuilder()
        .setSessionId(session.value())
        .setClientName(clientName)
        .setOwner(holding.owner().key())
        .setRange(range(holding.lock()))
        .setKept(kept)
        .build();
  }
}
