package org.weft.metadata.serving;

import com.google.protobuf.MessageLite;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;

/** Gives a request's place free when it is answered. */
record CountedSink(AnswerSink inner, AtomicInteger underWay) implements AnswerSink {
  @Override
  public void reply(MessageLite body, Lsn seen) {
    underWay.decrementAndGet();
    inner.reply(body, seen);
  }

  @Override
  public void refuse(RpcException why) {
    underWay.decrementAndGet();
    inner.refuse(why);
  }

  @Override
  public boolean abandoned() {
    return inner.abandoned();
  }
}
