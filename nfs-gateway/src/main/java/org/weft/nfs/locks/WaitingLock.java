package org.weft.nfs.locks;

import java.util.concurrent.CompletableFuture;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRanges;

/** A lock that a client waits for, until it knows that it has it. Confined as {@link OwnedFile}. */
final class WaitingLock {
  final OwnedFile file;
  final LockRequest request;

  /** Wall time. */
  final long sinceMillis;

  /** Ours, the same in each GRANTED. */
  final NetObject cookie;

  /** The first answer: BLOCKED unless it is decided soon. */
  final CompletableFuture<NlmStatus> first = new CompletableFuture<>();

  /** The lock; null until it is asked for. Cancelled when it is not wanted any more. */
  CompletableFuture<Void> wanted;

  boolean granted;

  /** What was granted and the client has not changed since with another request. */
  ByteRanges mine = ByteRanges.NONE;

  /**
   * Granted, and bytes of it were not locked all the time since: the client is not to rely on it.
   */
  boolean lapsed;

  long grantedNanos;

  /** How often its client was called, or may have been, without postponing. */
  int told;

  /** Its client may rely on it or not want it, and is not asked any more: it is to say itself. */
  boolean inDoubt;

  /** The client knows, or the lock is not wanted any more. */
  boolean over;

  WaitingLock(OwnedFile file, LockRequest request, NetObject cookie, long sinceMillis) {
    this.file = file;
    this.sinceMillis = sinceMillis;
    this.request = request;
    this.cookie = cookie;
  }

  /**
   * True if the lock was granted, and its client has locked or unlocked a part of it before the
   * client was known to have it. A repeated request for it then asks for more than the client has.
   */
  boolean isChanged() {
    return granted && !lapsed && !mine.contains(request.range());
  }
}
