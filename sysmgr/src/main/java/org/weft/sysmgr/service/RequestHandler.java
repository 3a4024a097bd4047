package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;

/** Answers one kind of request. Called on the home executor; its stage may complete anywhere. */
@FunctionalInterface
interface RequestHandler {
  CompletionStage<? extends MessageLite> answer(InboundRequest request) throws WeftException;
}
