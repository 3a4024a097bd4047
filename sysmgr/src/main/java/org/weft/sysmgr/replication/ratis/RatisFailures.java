package org.weft.sysmgr.replication.ratis;

import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.ratis.protocol.exceptions.AlreadyClosedException;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Turns failures of Ratis into Weft's own. */
final class RatisFailures {
  private RatisFailures() {}

  static WeftException explain(Throwable failure, Supplier<WeftException> notLeader) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof NotLeaderException
        || cause instanceof LeaderNotReadyException
        || cause instanceof LeaderSteppingDownException) {
      return notLeader.get();
    }
    if (cause instanceof AlreadyClosedException) {
      return new WeftException(ErrorCode.UNAVAILABLE, "this SysMgr member is closed", cause);
    }
    if (cause instanceof ResourceUnavailableException) {
      return new WeftException(
          ErrorCode.OVERLOADED, "too many changes wait for the replicated log; try again", cause);
    }
    if (cause instanceof StateMachineException
        && cause.getCause() instanceof RefusedRequestException refusal) {
      return new WeftException(ErrorCode.INVALID_ARGUMENT, refusal.getMessage(), refusal);
    }
    if (cause instanceof StateMachineException) {
      return new WeftException(ErrorCode.INTERNAL, "a command failed: " + cause, cause);
    }
    return new WeftException(
        ErrorCode.UNAVAILABLE, "the replicated log gave no reply: " + cause, cause);
  }
}
