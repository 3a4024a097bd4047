package org.weft.client.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ChangeMemberRequest;
import org.weft.protocol.wire.MemberChange;
import org.weft.protocol.wire.OperationState;

/**
 * Adds members to SysMgr and takes them away. SysMgr notes the change, and whichever member leads
 * carries it out. The request is repeated under one number until it is done, was given up, or the
 * time is over. In the last case it goes on by itself.
 *
 * <p>Thread-safe. Futures complete on the home executor.
 */
public final class MemberAdmin {
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final ClusterView cluster;
  private final Environment environment;
  private final Executor home;
  private final long timeoutNanos;
  private final byte[] secret;

  /**
   * @param home a serial executor that the caller owns
   * @param timeoutMillis how long to wait for a change
   * @param joinToken signs the requests
   */
  public MemberAdmin(
      ClusterView cluster,
      Environment environment,
      Executor home,
      long timeoutMillis,
      byte[] joinToken) {
    this.cluster = cluster;
    this.environment = environment;
    this.home = home;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.secret = JoinSecret.of(joinToken);
  }

  /**
   * Completes when the candidate votes. NOT_FOUND if no such process waits, EXISTS if another
   * change is under way, UNAUTHENTICATED if the token is wrong. DEADLINE_EXCEEDED if it takes too
   * long, UNAVAILABLE if it was given up.
   */
  public CompletableFuture<MemberChange> add(int memberId) {
    return begin(false, memberId);
  }

  /**
   * Completes when the member votes no more. Fails as {@link #add}, and with INVALID_ARGUMENT if
   * the members that are left would be no majority.
   */
  public CompletableFuture<MemberChange> remove(int memberId) {
    return begin(true, memberId);
  }

  private CompletableFuture<MemberChange> begin(boolean removal, int memberId) {
    ChangeMemberRequest request =
        ChangeMemberRequest.newBuilder()
            .setNonce(environment.random().nextLong() | 1)
            .setRemoval(removal)
            .setMemberId(memberId)
            .build();
    CompletableFuture<MemberChange> ended = new CompletableFuture<>();
    ask(request, environment.ticker().nowNanos() + timeoutNanos, ended);
    return ended;
  }

  private void ask(
      ChangeMemberRequest request, long deadlineNanos, CompletableFuture<MemberChange> ended) {
    var unused =
        cluster
            .ask(Opcode.CHANGE_MEMBER, request, MemberChange.parser(), secret)
            .whenComplete(
                (change, failure) -> answered(request, deadlineNanos, ended, change, failure));
  }

  private void answered(
      ChangeMemberRequest request,
      long deadlineNanos,
      CompletableFuture<MemberChange> ended,
      MemberChange change,
      Throwable failure) {
    WeftException refusal = failure == null ? null : WeftException.of(failure);
    if (refusal != null && refusal.code() != ErrorCode.UNAVAILABLE) {
      ended.completeExceptionally(refusal);
    } else if (refusal == null && change.getState() == OperationState.DONE) {
      ended.complete(change);
    } else if (refusal == null && change.getState() == OperationState.FAILED) {
      ended.completeExceptionally(
          new WeftException(
              ErrorCode.UNAVAILABLE,
              "SysMgr member " + request.getMemberId() + ": " + change.getMessage()));
    } else if (environment.ticker().nowNanos() - deadlineNanos > 0) {
      String why = refusal != null ? refusal.getMessage() : change.getMessage();
      ended.completeExceptionally(
          new WeftException(
              ErrorCode.DEADLINE_EXCEEDED,
              "not done within "
                  + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos)
                  + " s"
                  + (why.isEmpty() ? "" : " (" + why + ")")
                  + "; it goes on by itself, `weft sysmgr member list` shows how it stands",
              refusal));
    } else {
      environment
          .scheduler()
          .schedule(LOOK_AGAIN_NANOS, home, () -> ask(request, deadlineNanos, ended));
    }
  }
}
