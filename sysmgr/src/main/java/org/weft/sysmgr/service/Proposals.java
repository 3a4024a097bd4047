package org.weft.sysmgr.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Clock;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.wire.Empty;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.stored.AnswerCodec;
import org.weft.sysmgr.configuration.stored.CommandCodec;

/** Puts commands through the log. Its stages complete on the home executor, failed ones as well. */
final class Proposals {
  /** Keeps commands from the log at which other members would stop. */
  interface Gate {
    /**
     * Refuses a command of that number (P 6.8.151) unless all members understand it.
     *
     * @throws WeftException UNSUPPORTED where one does not, UNAVAILABLE where it is not known yet
     */
    void require(int number) throws WeftException;
  }

  private final ReplicatedLog log;
  private final Clock clock;
  private final Executor home;
  private final Gate gate;

  Proposals(ReplicatedLog log, Clock clock, Executor home, Gate gate) {
    this.log = log;
    this.clock = clock;
    this.home = home;
    this.gate = gate;
  }

  /**
   * The answer, once durable on a majority and applied here; a refusal is a {@link WeftException}.
   */
  CompletionStage<CommandResult> propose(Command command) {
    return propose(command, "");
  }

  /**
   * As the other one.
   *
   * @param user that asked for it, for the log of events
   */
  CompletionStage<CommandResult> propose(Command command, String user) {
    return answer(command, user).thenApply(Proposals::accepted);
  }

  /** As {@link #propose(Command)}, for what is answered with nothing but that it is recorded. */
  CompletionStage<Empty> record(Command command) {
    return record(command, "");
  }

  /**
   * As the other one.
   *
   * @param user that asked for it, for the log of events
   */
  CompletionStage<Empty> record(Command command, String user) {
    return propose(command, user).thenApply(done -> Empty.getDefaultInstance());
  }

  /**
   * As {@link #propose(Command, String)}, but a refusal is an answer, too: if this fails it is not
   * known whether the command is applied, or will be. It is not where a member does not understand
   * it: then it fails with UNSUPPORTED.
   */
  CompletionStage<CommandResult> answer(Command command, String user) {
    byte[] entry = CommandCodec.encode(command, clock.nowMillis(), user);
    try {
      gate.require(CommandCodec.origin(entry).number());
    } catch (WeftException e) {
      return atHome(CompletableFuture.failedFuture(e));
    }
    return atHome(log.propose(entry)).thenApply(AnswerCodec::decode);
  }

  /**
   * Completes once a majority has confirmed that this member leads and it has applied everything.
   */
  CompletionStage<Void> barrier() {
    return atHome(log.readBarrier());
  }

  /** As {@link ReplicatedLog#replaceMembers}. */
  CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after) {
    return atHome(log.replaceMembers(before, after));
  }

  /** Completes on the home executor whatever becomes of it: logs fail on threads of their own. */
  private <T> CompletableFuture<T> atHome(CompletionStage<T> asked) {
    CompletableFuture<T> here = new CompletableFuture<>();
    var unused =
        asked.whenCompleteAsync(
            (value, failure) -> {
              if (failure == null) {
                here.complete(value);
              } else {
                here.completeExceptionally(failure);
              }
            },
            home);
    return here;
  }

  /** The answer, unless it is a refusal, which is thrown. */
  static CommandResult accepted(CommandResult answer) {
    if (answer instanceof CommandResult.Refused refused) {
      throw new CompletionException(new WeftException(refused.code(), refused.message()));
    }
    return answer;
  }
}
