package org.weft.client.stripe.read;

import java.nio.ByteBuffer;

/** Where the bytes of a read go. Its parts do not overlap; threads come with one each. */
interface ReadTarget extends WriteGate {
  int lengthBytes();

  /** Memory of a part, to be filled from index 0 to its capacity. */
  ByteBuffer memory(int index, int lengthBytes);

  /** True if a part may be given by {@link #keep}, so that nothing is copied. */
  default boolean keepsArrived() {
    return false;
  }

  /** Takes over the bytes of a part, whose memory is not asked for then. */
  default void keep(int index, ArrivedBytes bytes) {
    throw new IllegalStateException("bytes for this target are copied");
  }

  @Override
  default boolean enter() {
    return true;
  }

  @Override
  default void leave() {}

  /** All that a caller has lent, or its first bytes. */
  static ReadTarget of(LentBuffer lent, int lengthBytes) {
    return new ReadTarget() {
      @Override
      public int lengthBytes() {
        return lengthBytes;
      }

      @Override
      public ByteBuffer memory(int index, int partBytes) {
        return lent.memory().slice(index, partBytes);
      }

      @Override
      public boolean enter() {
        return lent.enter();
      }

      @Override
      public void leave() {
        lent.leave();
      }
    };
  }
}
