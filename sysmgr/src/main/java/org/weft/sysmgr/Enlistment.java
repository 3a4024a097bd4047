package org.weft.sysmgr;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EnlistMemberRequest;
import org.weft.sysmgr.configuration.stored.CommandNumbers;

/** Tells a cluster's SysMgr that a process wants to become a member of it. Blocks. */
final class Enlistment {
  /** Longer than the addition of another number at this address may take. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(100);

  private static final int CALL_MILLIS = 5_000;

  private Enlistment() {}

  /**
   * Asks members in turn, again and again for that long.
   *
   * @param memberId 0: it has no id yet
   * @throws IOException that says what each of them answered last; at once if the thread is
   *     interrupted
   */
  static EnlistMemberReply enlist(
      SysmgrOptions.JoinPlan plan,
      int memberId,
      SysmgrMember self,
      Environment environment,
      long patienceNanos)
      throws IOException {
    EnlistMemberRequest body =
        EnlistMemberRequest.newBuilder()
            .setMemberId(memberId)
            .setRpc(self.rpc().toMessage())
            .setLog(self.ratis().toMessage())
            .setCommands(CommandNumbers.NEWEST)
            .build();
    RpcRequest request =
        RpcRequest.proven(Opcode.ENLIST_MEMBER, body, CALL_MILLIS, JoinSecret.of(plan.token()));
    StringBuilder failures = new StringBuilder();
    long beganNanos = environment.ticker().nowNanos();
    do {
      failures.setLength(0);
      for (Endpoint sysmgr : plan.sysmgrs()) {
        try {
          return OneCall.await(environment.transport(), sysmgr, "sysmgr", CALL_MILLIS, request)
              .parse(EnlistMemberReply.parser());
        } catch (WeftException e) {
          if (e.code().isLasting()) {
            throw new IOException(sysmgr + " said: " + e.getMessage(), e);
          }
          failures.append(failures.isEmpty() ? "" : "; ");
          failures.append(sysmgr).append(": ").append(e.getMessage());
        }
      }
      pause(environment);
    } while (environment.ticker().nowNanos() - beganNanos < patienceNanos);
    throw new IOException("no SysMgr member lets this one in (" + failures + ")");
  }

  /** Where the members are that have let a process in. */
  static List<ReplicatedLog.Member> members(EnlistMemberReply enlisted) {
    return enlisted.getMembersList().stream()
        .map(
            row ->
                new ReplicatedLog.Member(
                    row.getMemberId(),
                    Endpoint.fromMessage(row.getRpc()),
                    Endpoint.fromMessage(row.getLog())))
        .toList();
  }

  private static void pause(Environment environment) throws IOException {
    CompletableFuture<Void> waited = new CompletableFuture<>();
    environment
        .scheduler()
        .schedule(TimeUnit.SECONDS.toNanos(1), Runnable::run, () -> waited.complete(null));
    try {
      waited.get(CALL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the timer does not work", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while joining SysMgr", e);
    }
  }
}
