package org.weft.metadata.directory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** SipHash-2-4 (Aumasson and Bernstein, 2012): short messages, 128-bit key, 64-bit result. */
final class SipHash {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private long v0;
  private long v1;
  private long v2;
  private long v3;

  private SipHash(HashKey key) {
    v0 = key.k0() ^ 0x736f6d6570736575L;
    v1 = key.k1() ^ 0x646f72616e646f6dL;
    v2 = key.k0() ^ 0x6c7967656e657261L;
    v3 = key.k1() ^ 0x7465646279746573L;
  }

  static long hash(HashKey key, byte[] message) {
    SipHash state = new SipHash(key);
    int wholeBytes = message.length & -Long.BYTES;
    for (int offset = 0; offset < wholeBytes; offset += Long.BYTES) {
      state.compress((long) WORDS.get(message, offset));
    }
    long last = (long) message.length << 56;
    for (int offset = wholeBytes; offset < message.length; offset++) {
      last |= (message[offset] & 0xffL) << Byte.SIZE * (offset - wholeBytes);
    }
    state.compress(last);
    return state.finish();
  }

  private void compress(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private long finish() {
    v2 ^= 0xff;
    round();
    round();
    round();
    round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void round() {
    v0 += v1;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v3;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 += v3;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 += v1;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v2 = Long.rotateLeft(v2, 32);
  }
}
