package org.weft.metadata.rpc;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.SessionLockOwner;
import org.weft.metadata.volume.operation.lock.CancelLock;
import org.weft.metadata.volume.operation.lock.ListLocks;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.path.LockTarget;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.CancelLockRequest;
import org.weft.protocol.wire.ListLocksRequest;
import org.weft.protocol.wire.LockRangeRequest;
import org.weft.protocol.wire.LockSpaceMessage;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.OpenSessionRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.UnlockRangeRequest;

/** Reads requests about byte-range locks. */
final class LockRequests {
  private LockRequests() {}

  /**
   * What a client says of its locks when it opens a session.
   *
   * @throws WeftException INVALID_ARGUMENT past a bound
   */
  static Optional<LockKeeping> keeping(OpenSessionRequest body) throws WeftException {
    if (body.getKeepLocksMillis() == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(new LockKeeping(body.getKeepLocksMillis(), body.getKeepLocksKey()));
    } catch (IllegalArgumentException e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
  }

  static VolumeOperation lock(LockRangeRequest body) throws WeftException {
    LockSpace space = space(body.getSpace());
    if (space == LockSpace.OPENINGS && body.getWaitNumber() != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "no owner waits for ways to open a file; ask without a number for the wait");
    }
    return RequestReader.inSlot(
        body.getContext(),
        new LockRange(
            target(body.getContext(), body.getNode()),
            owner(body.getOwner()),
            GrantRequests.range(body.getFrom(), body.getTo()),
            body.getExclusive(),
            body.getWaitNumber(),
            body.getDetectDeadlock(),
            body.getReclaim(),
            body.getTakeOver(),
            body.getHeldAlone(),
            space));
  }

  static VolumeOperation unlock(UnlockRangeRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new UnlockRange(
            new ObjectId(body.getObjectId()),
            owner(body.getOwner()),
            GrantRequests.range(body.getFrom(), body.getTo()),
            space(body.getSpace())));
  }

  static VolumeOperation cancel(CancelLockRequest body) throws WeftException {
    return RequestReader.inSlot(
        body.getContext(),
        new CancelLock(
            new ObjectId(body.getObjectId()), owner(body.getOwner()), body.getWaitNumber()));
  }

  static VolumeOperation list(ListLocksRequest body) throws WeftException {
    Optional<HeldLocks.Lock> wanted =
        body.getOwner().isEmpty()
            ? Optional.empty()
            : Optional.of(
                new HeldLocks.Lock(
                    GrantRequests.range(body.getWanted().getFrom(), body.getWanted().getTo()),
                    body.getWanted().getExclusive()));
    ByteString owner = wanted.isEmpty() ? ByteString.EMPTY : owner(body.getOwner());
    return RequestReader.inSlot(
        body.getContext(),
        new ListLocks(
            target(body.getContext(), body.getNode()), owner, wanted, space(body.getSpace())));
  }

  /** A session that asks on behalf of others names files by their numbers. */
  private static LockTarget target(RequestContext context, NodeRef node) throws WeftException {
    boolean byNumber =
        context.hasOnBehalfOf()
            && node.getBaseHandle().isEmpty()
            && node.getPath().isEmpty()
            && node.getBaseObjectId() != 0;
    return byNumber
        ? new LockTarget.ByNumber(new ObjectId(node.getBaseObjectId()))
        : NodePath.fromMessage(node);
  }

  private static LockSpace space(LockSpaceMessage stated) throws WeftException {
    return switch (stated) {
      case LOCKS_OF_BYTES -> LockSpace.BYTES;
      case LOCKS_OF_OPENINGS -> LockSpace.OPENINGS;
      case UNRECOGNIZED ->
          throw new WeftException(
              ErrorCode.UNSUPPORTED,
              "this manager locks bytes of files and ways to open them, and does not know what the"
                  + " client wants locked; update the manager");
    };
  }

  private static ByteString owner(ByteString key) throws WeftException {
    if (key.isEmpty() || key.size() > SessionLockOwner.MAX_KEY_BYTES) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the owner of a lock has 1 to %d bytes, got %d; hash longer ones"
              .formatted(SessionLockOwner.MAX_KEY_BYTES, key.size()));
    }
    return key;
  }
}
