package org.weft.metadata.serving.request;

import com.google.protobuf.MessageLite;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/** Frees a request's place when the request is answered. Further answers free nothing. */
final class CountedSink implements AnswerSink {
  private final AnswerSink inner;
  private final AtomicInteger underWay;
  private final AtomicBoolean counted = new AtomicBoolean();

  CountedSink(AnswerSink inner, AtomicInteger underWay) {
    this.inner = inner;
    this.underWay = underWay;
  }

  private void count() {
    if (counted.compareAndSet(false, true)) {
      underWay.decrementAndGet();
    }
  }

  @Override
  public void reply(MessageLite body, Lsn seen) {
    count();
    inner.reply(body, seen);
  }

  @Override
  public void refuse(WeftException why) {
    count();
    inner.refuse(why);
  }

  @Override
  public boolean abandoned() {
    return inner.abandoned();
  }
}
