package org.weft.osd.command.request;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.osd.store.ObjectStore;
import org.weft.protocol.error.WeftException;

/** A changing command that has a frame of its own: answered when the store has committed it. */
public record CommittedHandler(ObjectStore store, MutationHandler mutations)
    implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    return store
        .apply(mutations.prepare(command))
        .thenApply(receipt -> CommandReply.of(mutations.reply(receipt)));
  }

  @Override
  public Optional<CompletionStage<CommandReply>> begin(ReceivedCommand command)
      throws WeftException {
    if (!mutations.mayBeBrief(command)) {
      return Optional.empty();
    }
    return store
        .applyNow(mutations.prepare(command))
        .map(stage -> stage.thenApply(receipt -> CommandReply.of(mutations.reply(receipt))));
  }
}
