package org.weft.nfs.locks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmHolder;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.OncReply;
import org.weft.nfs.oncrpc.Repeats;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcProcedure;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.oncrpc.RpcTask;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.protocol.layout.ByteRange;

/**
 * The lock manager, version 4: RFC 1813 section 6.3. The forms that are answered with a call of
 * their own (TEST_MSG to UNLOCK_MSG) are not there: PROC_UNAVAIL.
 */
public final class Nlm4 {
  /** A cookie, and a holder with its owner. */
  private static final int MOST_REPLY_BYTES = 2 * (NetObject.MOST_BYTES + 64);

  private static final NlmRange WHOLE_FILE = new NlmRange(0, 0);

  private final ClientLocks locks;
  private final Gatekeeper gate;

  public Nlm4(ClientLocks locks, Gatekeeper gate) {
    this.locks = locks;
    this.gate = gate;
  }

  public RpcProgram program() {
    return new RpcProgram(NlmProcedure.PROGRAM, "nlm").version(NlmProcedure.VERSION, procedures());
  }

  Map<Integer, RpcProcedure> procedures() {
    return Map.of(
        NlmProcedure.TEST.number(), changing(this::test, Repeats.CARRIED_OUT),
        NlmProcedure.LOCK.number(), changing(in -> lock(in, true), Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.CANCEL.number(), changing(this::cancel, Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.UNLOCK.number(), changing(this::unlock, Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.GRANTED_RES.number(), changing(this::granted, Repeats.CARRIED_OUT),
        NlmProcedure.SHARE.number(),
            changing(in -> shared(in, true), Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.UNSHARE.number(),
            changing(in -> shared(in, false), Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.NM_LOCK.number(),
            changing(in -> lock(in, false), Repeats.ANSWERED_AS_THE_FIRST),
        NlmProcedure.FREE_ALL.number(), changing(this::freeAll, Repeats.ANSWERED_AS_THE_FIRST));
  }

  /** Reads the arguments; what it gives carries the call out. */
  @FunctionalInterface
  private interface Reading {
    RpcTask read(XdrReader in) throws MalformedXdrException;
  }

  private static RpcProcedure changing(Reading reading, Repeats repeats) {
    return new RpcProcedure() {
      @Override
      public RpcTask read(XdrReader in) throws MalformedXdrException {
        RpcTask task = reading.read(in);
        return new RpcTask() {
          @Override
          public CompletionStage<OncReply> run(RpcCall call) {
            return task.run(call);
          }

          @Override
          public int mostReplyBytes() {
            return MOST_REPLY_BYTES;
          }
        };
      }

      @Override
      public Repeats repeats() {
        return repeats;
      }
    };
  }

  @FunctionalInterface
  private interface Asked {
    CompletableFuture<NlmStatus> of(LockRequest request);
  }

  private CompletionStage<OncReply> answer(
      RpcCall call,
      NetObject cookie,
      NlmLock lock,
      boolean exclusive,
      int state,
      boolean takes,
      Asked asked) {
    CompletableFuture<NlmStatus> status;
    try {
      status = asked.of(enter(call, lock, exclusive, state, takes));
    } catch (FileException e) {
      status = CompletableFuture.failedFuture(e);
    }
    return status
        .exceptionally(LockStatus::of)
        .thenApply(told -> new NlmMessage.Answer(cookie, told)::write);
  }

  /**
   * @param takes it will hold the lock: nothing is locked exclusively where nothing may be changed
   */
  private LockRequest enter(RpcCall call, NlmLock lock, boolean exclusive, int state, boolean takes)
      throws FileException {
    Gatekeeper.Entry entry = gate.enter(lock.file().bytes(), call);
    if (takes && exclusive) {
      entry.forChange();
    }
    OnBehalfOf caller = entry.by().caller();
    List<String> groups = caller.groups();
    return new LockRequest(
        new NodeId(entry.file().volume(), entry.file().object()),
        new OnBehalfOf(
            caller.user(),
            groups.subList(0, Math.min(groups.size(), OnBehalfOf.MOST_GROUPS)),
            caller.superuser()),
        new NlmOwner(
            call.client().getAddress(),
            call.server().getAddress(),
            lock.client(),
            lock.process(),
            lock.owner(),
            !Export.isReserved(call.client())),
        lock,
        range(lock.range()),
        exclusive,
        state,
        Export.isReserved(call.client()));
  }

  private static ByteRange range(NlmRange range) throws FileException {
    long from = range.offset();
    if (from < 0 || from == ByteRange.END) {
      throw new FileException(
          FileError.TOO_LARGE, "a file has no byte " + Long.toUnsignedString(from));
    }
    long length = range.length();
    boolean toTheEnd = length <= 0 || length >= ByteRange.END - from;
    return new ByteRange(from, toTheEnd ? ByteRange.END : from + length);
  }

  private static NlmRange range(ByteRange range) {
    return new NlmRange(range.from(), range.to() == ByteRange.END ? 0 : range.to() - range.from());
  }

  private RpcTask test(XdrReader in) throws MalformedXdrException {
    NlmMessage.Test test = NlmMessage.Test.read(in);
    return call -> {
      CompletableFuture<Optional<LockHolder>> holder;
      try {
        holder = locks.test(enter(call, test.lock(), test.exclusive(), 0, false));
      } catch (FileException e) {
        holder = CompletableFuture.failedFuture(e);
      }
      return holder
          .thenApply(
              found ->
                  new NlmMessage.Tested(
                      test.cookie(),
                      found.isPresent() ? NlmStatus.DENIED : NlmStatus.GRANTED,
                      found.map(Nlm4::holder)))
          .exceptionally(
              failure ->
                  new NlmMessage.Tested(
                      test.cookie(), LockStatus.of(unwrapped(failure)), Optional.empty()))
          .thenApply(tested -> tested::write);
    };
  }

  private static Throwable unwrapped(Throwable failure) {
    return failure.getCause() instanceof FileException refusal ? refusal : failure;
  }

  private static NlmHolder holder(LockHolder holder) {
    return new NlmHolder(
        holder.mode() == LockMode.EXCLUSIVE,
        NlmOwner.processOf(holder.owner()),
        new NetObject(holder.owner().toByteArray()),
        range(holder.range()));
  }

  /**
   * @param monitored false with NM_LOCK: its client tells of no start, and is told of none
   */
  private RpcTask lock(XdrReader in, boolean monitored) throws MalformedXdrException {
    NlmMessage.Lock lock = NlmMessage.Lock.read(in);
    return call ->
        answer(
            call,
            lock.cookie(),
            lock.lock(),
            lock.exclusive(),
            lock.state(),
            true,
            request -> locks.lock(request, lock.block(), lock.reclaim(), monitored));
  }

  private RpcTask cancel(XdrReader in) throws MalformedXdrException {
    NlmMessage.Cancel cancel = NlmMessage.Cancel.read(in);
    return call ->
        answer(call, cancel.cookie(), cancel.lock(), cancel.exclusive(), 0, false, locks::cancel);
  }

  private RpcTask unlock(XdrReader in) throws MalformedXdrException {
    NlmMessage.Unlock unlock = NlmMessage.Unlock.read(in);
    return call -> answer(call, unlock.cookie(), unlock.lock(), false, 0, false, locks::unlock);
  }

  private RpcTask granted(XdrReader in) throws MalformedXdrException {
    NlmMessage.Answer answer = NlmMessage.Answer.read(in);
    return call -> {
      locks.answered(call.client().getAddress(), answer.cookie(), answer.status());
      return CompletableFuture.completedFuture(OncReply.NOTHING);
    };
  }

  /**
   * SHARE and UNSHARE: how a DOS client has opened a file, and what others may not do meanwhile
   * (X/Open XNFS). It holds among clients that say so, at all gateways. Reads and writes do not ask
   * for it.
   *
   * @param takes SHARE: the file is not opened for writing where nothing may be changed
   */
  private RpcTask shared(XdrReader in, boolean takes) throws MalformedXdrException {
    NlmMessage.Share message = NlmMessage.Share.read(in);
    NlmShare share = message.share();
    NlmLock opening = new NlmLock(share.client(), share.file(), share.owner(), 0, WHOLE_FILE);
    return call -> {
      CompletableFuture<NlmStatus> status;
      try {
        LockRequest request = enter(call, opening, share.writes(), 0, takes);
        status = takes ? locks.share(request, share, message.reclaim()) : locks.unshare(request);
      } catch (FileException e) {
        status = CompletableFuture.failedFuture(e);
      }
      return status
          .exceptionally(LockStatus::of)
          .thenApply(told -> new NlmMessage.Shared(message.cookie(), told, 0)::write);
    };
  }

  /** FREE_ALL: for a client at the address that it calls from. */
  private RpcTask freeAll(XdrReader in) throws MalformedXdrException {
    NlmMessage.FreeAll free = NlmMessage.FreeAll.read(in);
    return call ->
        locks.freeAll(call.client(), free.client(), 0).thenApply(done -> OncReply.NOTHING);
  }
}
