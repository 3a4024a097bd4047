package org.weft.nfs.locks.procedure;

import java.util.List;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.Gatekeeper;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.locks.LockRequest;
import org.weft.nfs.locks.NlmOwner;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmProcedure;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.protocol.layout.ByteRange;

/** Lets calls in that name a lock: by their handles, exports and users. Thread-safe. */
record LockEntry(Gatekeeper gate) {
  /** What is tested. */
  LockRequest enter(RpcCall call, NlmLock lock, boolean exclusive) throws FileException {
    return request(call, gate.enter(lock.file().bytes(), call), lock, exclusive, 0);
  }

  /** What is cancelled or unlocked, also where nothing is exported to the client any more. */
  LockRequest enterToGiveUp(RpcCall call, NlmLock lock, boolean exclusive) throws FileException {
    Gatekeeper.Released released = gate.enterToGiveUp(lock.file().bytes(), call);
    return request(call, released.file(), released.by(), lock, exclusive, 0);
  }

  /** What is to be held: nothing is locked exclusively where nothing may be changed. */
  LockRequest enterToHold(RpcCall call, NlmLock lock, boolean exclusive, int state)
      throws FileException {
    Gatekeeper.Entry entry = gate.enter(lock.file().bytes(), call);
    if (exclusive) {
      entry.forChange();
    }
    return request(call, entry, lock, exclusive, state);
  }

  private static LockRequest request(
      RpcCall call, Gatekeeper.Entry entry, NlmLock lock, boolean exclusive, int state)
      throws FileException {
    return request(call, entry.file(), entry.by().caller(), lock, exclusive, state);
  }

  private static LockRequest request(
      RpcCall call, NodeId file, OnBehalfOf caller, NlmLock lock, boolean exclusive, int state)
      throws FileException {
    List<String> groups = caller.groups();
    return new LockRequest(
        file,
        new OnBehalfOf(
            caller.user(),
            groups.subList(0, Math.min(groups.size(), OnBehalfOf.MAX_GROUPS)),
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
        Export.isReserved(call.client()),
        call.procedure() == NlmProcedure.LOCK_MSG.number());
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
}
