package org.weft.metadata.serving.request;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** Ends an operation of the manager's own: its future gets the answer and the LSN. */
public record OwnSink(CompletableFuture<Answered> done) implements AnswerSink {
  /**
   * A durable answer.
   *
   * @param lsn of the operation's record, if it made one
   */
  public record Answered(MessageLite body, Lsn lsn) {}

  @Override
  public void reply(MessageLite body, Lsn seen) {
    done.complete(new Answered(body, seen));
  }

  @Override
  public void refuse(WeftException why) {
    done.completeExceptionally(why);
  }

  @Override
  public boolean abandoned() {
    return false;
  }
}
