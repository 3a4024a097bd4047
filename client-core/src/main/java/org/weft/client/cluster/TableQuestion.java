package org.weft.client.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.GetTableReply;

/**
 * One question for the cluster's table. A member that is silent for a while may have been cut off:
 * the others are asked as well, and the first answer counts (P 6.2). A slow member that answers
 * later than that loses nothing: its answer may still be the first. Confined to its home executor.
 */
final class TableQuestion {
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RpcRequest request;
  private final SysmgrLink link;
  private final Supplier<SysmgrLink> others;
  private final CompletableFuture<GetTableReply> answer = new CompletableFuture<>();
  private final String asked;
  private Scheduler.Timer timer = () -> {};
  private int underWay;

  /**
   * @param link to the member in use
   * @param others makes a link that asks the others first; closed after the answer
   */
  TableQuestion(RpcRequest request, SysmgrLink link, Supplier<SysmgrLink> others) {
    this.request = request;
    this.link = link;
    this.others = others;
    this.asked = link.describe();
  }

  /** Asks. Fails as {@link SysmgrLink#call} does, when no way is left. */
  CompletableFuture<GetTableReply> ask(Scheduler scheduler, Executor home) {
    timer = scheduler.schedule(PATIENCE_NANOS, home, this::askOthers);
    ask(link, () -> {});
    return answer;
  }

  private void askOthers() {
    if (!answer.isDone()) {
      SysmgrLink beside = others.get();
      var unused = answer.whenComplete((reply, failure) -> beside.close());
      ask(beside, () -> link.giveUp(asked));
    }
  }

  private void ask(SysmgrLink way, Runnable whenFirst) {
    underWay++;
    var unused =
        way.call(request)
            .thenApply(ReplyReader.parser(GetTableReply.parser()))
            .whenComplete(
                (reply, failure) -> {
                  underWay--;
                  if (failure == null) {
                    if (answer.complete(reply)) {
                      timer.cancel();
                      whenFirst.run();
                    }
                  } else if (underWay == 0) {
                    timer.cancel();
                    answer.completeExceptionally(WeftException.of(failure));
                  }
                });
  }
}
