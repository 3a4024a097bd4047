package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import org.weft.client.stripe.base.References;

/**
 * Bytes that were checked and lie in the payload that they came in, until {@link #release}.
 *
 * @param buffer of the payload; its position means nothing
 * @param index of the first one in the buffer
 * @param payload held for these bytes
 */
record ArrivedBytes(ByteBuffer buffer, int index, int lengthBytes, References payload) {
  /** Lets go of the payload; once. */
  void release() {
    payload.release();
  }
}
