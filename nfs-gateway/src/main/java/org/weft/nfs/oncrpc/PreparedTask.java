package org.weft.nfs.oncrpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A call that waits for a preparation before it is executed.
 *
 * @param preparation completes on any thread, mostly at once, within seconds, and does not fail
 */
record PreparedTask(RpcTask task, Function<RpcCall, CompletableFuture<Void>> preparation)
    implements RpcTask {
  @Override
  public CompletionStage<OncReply> run(RpcCall call) {
    CompletableFuture<Void> ready = preparation.apply(call);
    return ready.isDone() ? task.run(call) : ready.thenCompose(done -> task.run(call));
  }

  @Override
  public int mostReplyBytes() {
    return task.mostReplyBytes();
  }

  @Override
  public RpcTask within(int replyBytes) {
    return new PreparedTask(task.within(replyBytes), preparation);
  }

  @Override
  public void drop() {
    task.drop();
  }
}
