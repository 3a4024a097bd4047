package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.RpcException;

/** The manager's own operations end in a future. */
record OwnSink(CompletableFuture<Void> done) implements AnswerSink {
  @Override
  public void reply(MessageLite body) {
    done.complete(null);
  }

  @Override
  public void refuse(RpcException why) {
    done.completeExceptionally(why);
  }

  @Override
  public boolean abandoned() {
    return false;
  }
}
