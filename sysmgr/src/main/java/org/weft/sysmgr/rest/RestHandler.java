package org.weft.sysmgr.rest;

import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;

/**
 * Answers one kind of request. Runs on a thread of the REST pool, which it may block for a moment.
 */
@FunctionalInterface
public interface RestHandler {
  /**
   * The answer, now or later; a {@link WeftException}, thrown or inside the stage, becomes an error
   * reply.
   */
  CompletionStage<RestReply> answer(RestRequest request) throws WeftException;
}
