package org.weft.osd.command.request;

import com.google.protobuf.MessageLite;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.WeftException;

/**
 * Turns one kind of changing command into a mutation of the store, alone or inside a BATCH.
 * Thread-safe.
 */
public interface MutationHandler {
  /** Checks everything that can be checked before the store is called; changes nothing. */
  Mutation prepare(ReceivedCommand command) throws WeftException;

  /** False if no store commits what becomes of the command at once: it need not be asked. */
  default boolean mayBeBrief(ReceivedCommand command) throws WeftException {
    return false;
  }

  /** What the caller is told of the committed mutation. */
  MessageLite reply(Receipt receipt);
}
