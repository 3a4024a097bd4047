package org.weft.osd.command.request;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;

/** Answers one kind of command. Called on the pool, so it may do the store's IO; thread-safe. */
@FunctionalInterface
public interface CommandHandler {
  /**
   * The answer, now or later. A refusal is thrown, or fails the stage, as a {@link WeftException};
   * then nothing was changed.
   */
  CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException;

  /**
   * The answer out of memory, without IO and without waiting, on an event loop; empty if {@link
   * #handle} has to look. Refusals are thrown as there.
   */
  default Optional<CommandReply> now(ReceivedCommand command) throws WeftException {
    return Optional.empty();
  }

  /**
   * Begins what changes little of what is in memory, on an event loop; empty, and nothing was done,
   * if {@link #handle} has to do it. Writes to the page cache at most, where a disk that cannot
   * keep up makes writers wait: only to be called while none has. Refusals as there.
   */
  default Optional<CompletionStage<CommandReply>> begin(ReceivedCommand command)
      throws WeftException {
    return Optional.empty();
  }
}
