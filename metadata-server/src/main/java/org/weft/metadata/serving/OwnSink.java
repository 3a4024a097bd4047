package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;

/** The manager's own operations end in a future of the LSN they got. */
record OwnSink(CompletableFuture<Lsn> done) implements AnswerSink {
  @Override
  public void reply(MessageLite body, Lsn seen) {
    done.complete(seen);
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
