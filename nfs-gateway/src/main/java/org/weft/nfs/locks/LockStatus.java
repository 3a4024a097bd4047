package org.weft.nfs.locks;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.weft.nfs.files.FileException;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.error.WeftException;

/** The status that a client gets for a failure. */
public final class LockStatus {
  private LockStatus() {}

  /** The result with this status, or with that of its failure; never fails. */
  public static CompletionStage<NlmMessage.Answer> answer(
      NetObject cookie, CompletableFuture<NlmStatus> status) {
    return status
        .exceptionally(LockStatus::of)
        .thenApply(told -> new NlmMessage.Answer(cookie, told));
  }

  /** Does one after another until a status is not GRANTED, and tells that one. */
  static <T> CompletableFuture<NlmStatus> whileGranted(
      List<T> all, Function<T, CompletableFuture<NlmStatus>> each) {
    CompletableFuture<NlmStatus> done = CompletableFuture.completedFuture(NlmStatus.GRANTED);
    for (T one : all) {
      done =
          done.thenCompose(
              status ->
                  status == NlmStatus.GRANTED
                      ? each.apply(one)
                      : CompletableFuture.completedFuture(status));
    }
    return done;
  }

  /**
   * What may go by itself is DENIED_GRACE_PERIOD: clients wait and ask again, and programs see no
   * error. Any other status but DENIED makes a program's call fail.
   */
  public static NlmStatus of(Throwable thrown) {
    return thrown instanceof FileException refusal ? of(refusal) : of(WeftException.of(thrown));
  }

  private static NlmStatus of(FileException refusal) {
    return switch (refusal.error()) {
      case STALE, BAD_HANDLE -> NlmStatus.STALE_HANDLE;
      case READ_ONLY -> NlmStatus.READ_ONLY;
      case TOO_LARGE -> NlmStatus.TOO_LARGE;
      case TRY_LATER -> NlmStatus.DENIED_GRACE_PERIOD;
      default -> NlmStatus.FAILED;
    };
  }

  private static NlmStatus of(WeftException refusal) {
    return switch (refusal.code()) {
      case LOCKED -> NlmStatus.DENIED;
      case DEADLOCK -> NlmStatus.DEADLOCK;
      case STALE, NOT_FOUND -> NlmStatus.STALE_HANDLE;
      case UNAVAILABLE,
          CONNECTION_LOST,
          DEADLINE_EXCEEDED,
          SESSION_EXPIRED,
          NOT_SERVING,
          NOT_LEADER,
          CANCELLED ->
          NlmStatus.DENIED_GRACE_PERIOD;
      // As many locks as there may be: of the file, the gateway or the volume.
      case OVERLOADED, INVALID_ARGUMENT -> NlmStatus.DENIED_NOLOCKS;
      default -> NlmStatus.FAILED;
    };
  }
}
