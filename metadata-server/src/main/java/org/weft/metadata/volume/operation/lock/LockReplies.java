package org.weft.metadata.volume.operation.lock;

import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.KeptLocks;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.operation.number.NumberedNodes;
import org.weft.metadata.volume.path.LockTarget;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.LockHolder;
import org.weft.protocol.wire.LockedRange;

/** What answers about byte-range locks have in common. */
final class LockReplies {
  private LockReplies() {}

  /**
   * The file at the end of a path, or of a number.
   *
   * @throws WeftException IS_DIRECTORY for a directory; of a number UNAUTHENTICATED unless the
   *     session is trusted, STALE if there is no such file
   */
  static Attributes file(Execution on, LockTarget path) throws NeedsInput, WeftException {
    Attributes file =
        path instanceof NodePath named
            ? on.walk().node(named)
            : new NumberedNodes(on).node(((LockTarget.ByNumber) path).object());
    if (file.isDirectory()) {
      throw new WeftException(
          ErrorCode.IS_DIRECTORY, path + " is a directory; ranges of files are locked");
    }
    return file;
  }

  /** The owner of a file that is named by its number passes every check. */
  static boolean isOwner(Execution on, LockTarget path, Attributes file) {
    return path instanceof LockTarget.ByNumber && file.owner().equals(on.credentials().user());
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
