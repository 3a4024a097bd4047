package org.weft.client.stripe.write;

import java.util.List;
import java.util.stream.IntStream;
import org.weft.client.stripe.commit.StripeWrite;
import org.weft.client.stripe.commit.UnitBuffer;
import org.weft.protocol.layout.Layout;

/** Makes the components that a longer file must have, and writes nothing (P 4.2). */
record EmptyWrite(Layout layout, long eofBytes) implements StripeWrite {
  @Override
  public int seqCount() {
    return 0;
  }

  /** Those of a small file; the sender adds all of every parity group that is touched. */
  @Override
  public List<Integer> participants() {
    return IntStream.rangeClosed(0, layout.parityUnits()).boxed().toList();
  }

  @Override
  public long offsetBytes(int component) {
    return 0;
  }

  @Override
  public List<UnitBuffer> units(int component) {
    return List.of();
  }

  @Override
  public void retain() {
    // There is no memory to keep.
  }

  @Override
  public void release() {
    // There is no memory to give back.
  }
}
