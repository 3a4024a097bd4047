package org.weft.sysmgr.service;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.seam.Environment;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.liveness.ManagerLeases;

/**
 * Puts commands through the log that take a volume from a start of a manager (P 6.2). A command
 * waits until that start's lease is over and, on a leader that has just taken over, every lease of
 * the leader before it. The lease is held from the moment that the command is asked for until its
 * outcome is known. A command whose answer was lost may be applied later. Confined to the home
 * executor.
 */
final class OwnerChanges {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerChanges.class);
  private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Leadership leadership;
  private final Proposals proposals;
  private final ManagerLeases leases;
  private final Environment environment;
  private final Executor home;

  OwnerChanges(
      Leadership leadership,
      Proposals proposals,
      ManagerLeases leases,
      Environment environment,
      Executor home) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.leases = leases;
    this.environment = environment;
    this.home = home;
  }

  /**
   * Proposes the command when no lease stands against it.
   *
   * @param owner whose start loses the volume
   * @param marginNanos how much longer than its lease to wait
   * @param command may be applied twice: the second time is a repeat, or refused
   * @param user that asked for it, for the log of events
   */
  CompletionStage<CommandResult> propose(
      ManagerId owner, long marginNanos, Command command, String user) {
    leases.hold(owner);
    return after(
            () ->
                Math.max(
                    leases.leftNanos(owner, environment.ticker().nowNanos()) + marginNanos,
                    leadership.nanosUntilEpochs()))
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                leases.release(owner);
              }
            })
        .thenCompose(nothing -> proposed(owner, command, user))
        .thenApply(Proposals::accepted);
  }

  /** Proposes a command that takes the volume from no start, when new epochs may be given out. */
  CompletionStage<CommandResult> propose(Command command) {
    return after(leadership::nanosUntilEpochs).thenCompose(nothing -> proposals.propose(command));
  }

  private CompletionStage<CommandResult> proposed(ManagerId owner, Command command, String user) {
    return proposals
        .answer(command, user)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                leases.release(owner);
              } else {
                LOG.info(
                    "manager-{} gets no lease until it is known what became of {}: {}",
                    owner,
                    command.getClass().getSimpleName(),
                    WeftException.of(failure).getMessage());
                var unused =
                    environment
                        .scheduler()
                        .schedule(REPEAT_NANOS, home, () -> repeat(owner, command, user));
              }
            });
  }

  /** A later leader waits for all leases, and knows what its log holds. */
  private void repeat(ManagerId owner, Command command, String user) {
    if (leadership.leading()) {
      var unused = proposed(owner, command, user);
    } else {
      leases.release(owner);
    }
  }

  /**
   * The manager's answer to a repeated request may give it a lease anew: that is waited for, too.
   */
  private CompletionStage<Void> after(LongSupplier waitNanos) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    waitFor(waitNanos, over);
    return over;
  }

  private void waitFor(LongSupplier waitNanos, CompletableFuture<Void> over) {
    long nanos = waitNanos.getAsLong();
    if (nanos <= 0) {
      over.complete(null);
      return;
    }
    var unused =
        environment
            .scheduler()
            .schedule(
                nanos,
                home,
                () -> {
                  try {
                    leadership.require();
                    waitFor(waitNanos, over);
                  } catch (WeftException e) {
                    over.completeExceptionally(e);
                  }
                });
  }
}
