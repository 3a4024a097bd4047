package org.weft.client.volume;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.weft.client.ids.OnBehalfOf;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CancelLockRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.ListLocksReply;
import org.weft.protocol.wire.ListLocksRequest;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.LockRangeRequest;
import org.weft.protocol.wire.LockSpaceMessage;
import org.weft.protocol.wire.LockedRange;
import org.weft.protocol.wire.NodeRef;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.UnlockRangeReply;
import org.weft.protocol.wire.UnlockRangeRequest;

/**
 * Requests about byte-range locks (P 6.5). Thread-safe; futures complete as those of {@link
 * VolumeCalls}.
 */
public final class LockCalls {
  private final VolumeSession session;

  LockCalls(VolumeSession session) {
    this.session = session;
  }

  /**
   * A file as one owner locks ranges of it.
   *
   * @param path for messages
   * @param handle as the manager gave it
   * @param owner 1 to 64 bytes
   * @param space what its ranges are of
   * @param blocked an owner that waits unlocks nothing meanwhile, so that deadlocks are found
   * @param behalf the user that a trusted session asks for, without a handle; empty: its own user
   */
  public record Locker(
      String path,
      long objectId,
      ByteString handle,
      ByteString owner,
      LockSpace space,
      boolean blocked,
      Optional<OnBehalfOf> behalf) {
    private NodeRef node() {
      return NodeRef.newBuilder().setBaseObjectId(objectId).setBaseHandle(handle).build();
    }

    private LockSpaceMessage spaceInMessage() {
      return switch (space) {
        case BYTES -> LockSpaceMessage.LOCKS_OF_BYTES;
        case OPENINGS -> LockSpaceMessage.LOCKS_OF_OPENINGS;
      };
    }

    private RequestContext of(RequestContext context) {
      return behalf.map(caller -> NumberCalls.of(caller, context)).orElse(context);
    }
  }

  /**
   * A lock that is asked for.
   *
   * @param reclaim what the owner had in a session that has ended, and is kept, is to be its own
   * @param takeOver with reclaim: also what it has in sessions that go on, and would be kept
   * @param heldAlone with reclaim: if it has not had all of the range all the time, it gets what it
   *     had, and nothing more
   */
  public record Wanted(
      ByteRange range, boolean exclusive, boolean reclaim, boolean takeOver, boolean heldAlone) {
    /** One that takes nothing from sessions that go on, and locks all of the range. */
    public Wanted(ByteRange range, boolean exclusive, boolean reclaim) {
      this(range, exclusive, reclaim, false, false);
    }
  }

  /**
   * Asks for a lock once.
   *
   * @param waitNumber 0: the owner does not wait
   * @param boundTo the session that has others of the owner's locks; empty: it has none yet
   * @param late gets the answer if it comes after the request's time is over
   */
  CompletableFuture<SessionReply<LockRangeReply>> ask(
      Locker locker,
      Wanted wanted,
      long waitNumber,
      OptionalLong boundTo,
      Consumer<SessionReply<LockRangeReply>> late) {
    VolumeRequest<LockRangeReply> request =
        VolumeRequest.once(
                Opcode.LOCK_RANGE,
                locker.path(),
                context ->
                    LockRangeRequest.newBuilder()
                        .setContext(locker.of(context))
                        .setNode(locker.node())
                        .setOwner(locker.owner())
                        .setSpace(locker.spaceInMessage())
                        .setFrom(wanted.range().from())
                        .setTo(wanted.range().toInMessage())
                        .setExclusive(wanted.exclusive())
                        .setWaitNumber(waitNumber)
                        .setDetectDeadlock(locker.blocked())
                        .setReclaim(wanted.reclaim())
                        .setTakeOver(wanted.takeOver())
                        .setHeldAlone(wanted.heldAlone())
                        .build(),
                LockRangeReply.parser())
            .withLate(late);
    return session.call(boundTo.isPresent() ? request.inSession(boundTo.getAsLong()) : request);
  }

  /**
   * Locks a range, and waits for it so long if others are in the way.
   *
   * @param after it begins when that is done, whatever came of it
   * @param boundTo asked then
   * @param giveBack takes a lock back that was given when it was not wanted any more
   * @param patienceMillis 0: it is answered at once
   */
  public LockWaiting lock(
      Locker locker,
      Wanted wanted,
      CompletableFuture<?> after,
      Supplier<OptionalLong> boundTo,
      Function<SessionReply<LockRangeReply>, CompletableFuture<Void>> giveBack,
      long patienceMillis) {
    LockWaiting waiting = new LockWaiting(session, this, locker, wanted, boundTo, giveBack);
    waiting.start(after, patienceMillis);
    return waiting;
  }

  /**
   * A lock that was given is not wanted any more. The owner has again what it had before, except
   * for what it did since it asked. Never fails.
   */
  public CompletableFuture<Void> undo(
      Locker locker, Wanted wanted, SessionReply<LockRangeReply> given, LockedSince since) {
    return new LockUndoing(this, locker, wanted, since).undo(given);
  }

  /** Unlocks ranges that are not wanted any more. Never fails. */
  public CompletableFuture<Void> unlockAll(long sessionId, Locker locker, List<ByteRange> ranges) {
    return new LockUndoing(
            this, locker, new Wanted(ByteRange.ALL, false, false), LockedSince.NOTHING)
        .unlock(sessionId, ranges);
  }

  /** Nothing of a range that was given is wanted any more. Never fails. */
  public CompletableFuture<Void> release(
      Locker locker, Wanted wanted, SessionReply<LockRangeReply> given) {
    return new LockUndoing(this, locker, wanted, LockedSince.NOTHING).release(given);
  }

  /** Unlocks a range; false if the owner had not locked all of it. */
  public CompletableFuture<Boolean> unlock(long sessionId, Locker locker, ByteRange range) {
    return session
        .call(
            VolumeRequest.once(
                    Opcode.UNLOCK_RANGE,
                    locker.path(),
                    context ->
                        UnlockRangeRequest.newBuilder()
                            .setContext(context)
                            .setObjectId(locker.objectId())
                            .setOwner(locker.owner())
                            .setSpace(locker.spaceInMessage())
                            .setFrom(range.from())
                            .setTo(range.toInMessage())
                            .build(),
                    UnlockRangeReply.parser())
                .inSession(sessionId))
        .thenApply(answer -> answer.body().getHeldAll());
  }

  /** The owner waits no more. */
  CompletableFuture<Void> cancel(long sessionId, Locker locker, long waitNumber) {
    return session
        .call(
            VolumeRequest.repeatable(
                    Opcode.CANCEL_LOCK,
                    locker.path(),
                    context ->
                        CancelLockRequest.newBuilder()
                            .setContext(context)
                            .setObjectId(locker.objectId())
                            .setOwner(locker.owner())
                            .setWaitNumber(waitNumber)
                            .build(),
                    Empty.parser())
                .inSession(sessionId))
        .thenApply(answer -> null);
  }

  /** The locks in the way of a lock of that owner. */
  public CompletableFuture<ListLocksReply> inTheWay(Locker locker, Wanted wanted) {
    return list(
        locker.path(),
        locker::of,
        ListLocksRequest.newBuilder()
            .setNode(locker.node())
            .setOwner(locker.owner())
            .setSpace(locker.spaceInMessage())
            .setWanted(
                LockedRange.newBuilder()
                    .setFrom(wanted.range().from())
                    .setTo(wanted.range().toInMessage())
                    .setExclusive(wanted.exclusive())));
  }

  /** All locks on a file. */
  public CompletableFuture<ListLocksReply> list(String path) {
    return list(
        path,
        UnaryOperator.identity(),
        ListLocksRequest.newBuilder().setNode(session.mount().node(path)));
  }

  private CompletableFuture<ListLocksReply> list(
      String path, UnaryOperator<RequestContext> caller, ListLocksRequest.Builder request) {
    return session
        .call(
            VolumeRequest.repeatable(
                Opcode.LIST_LOCKS,
                path,
                context -> request.clone().setContext(caller.apply(context)).build(),
                ListLocksReply.parser()))
        .thenApply(SessionReply::body);
  }

  /**
   * The session's locks are there. It has not ended, and its lease is not over, counted by this
   * client's clock from when a renewal was sent that was answered.
   */
  public boolean isHeld(long sessionId) {
    return session.isHeld(sessionId);
  }
}
