package org.weft.protocol.capability;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC-SHA256 (RFC 2104), as every signature here is made: of SHA-256, which each JVM has at hand.
 * The JDK's own Mac is searched for in all its providers and asks for their policies. That loads 60
 * classes and takes 2 % of the time of a short command.
 */
public final class Hmac {
  /** Bytes of a MAC on the wire: the first of the 32. */
  public static final int WIRE_BYTES = 16;

  private static final int BLOCK_BYTES = 64;
  private static final byte INNER_PAD = 0x36;
  private static final byte OUTER_PAD = 0x5c;

  /** Never given a byte itself: to look the algorithm up for every MAC costs more than the MAC. */
  private static final MessageDigest EMPTY = empty();

  private Hmac() {}

  private static MessageDigest empty() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }

  /** The whole MAC of the parts, one after another. */
  public static byte[] sha256(byte[] key, byte[]... parts) {
    MessageDigest inner = begun(key, INNER_PAD);
    for (byte[] part : parts) {
      inner.update(part);
    }
    return ended(key, inner);
  }

  /** The first 16 bytes of the MAC of the parts, whose positions stay. */
  public static byte[] wire(byte[] key, ByteBuffer... parts) {
    MessageDigest inner = begun(key, INNER_PAD);
    for (ByteBuffer part : parts) {
      inner.update(part.duplicate());
    }
    return Arrays.copyOf(ended(key, inner), WIRE_BYTES);
  }

  /** Compares in constant time. */
  public static boolean same(byte[] left, byte[] right) {
    return MessageDigest.isEqual(left, right);
  }

  /** A digest that has had the key, padded to a block. */
  private static MessageDigest begun(byte[] key, byte pad) {
    if (key.length == 0) {
      throw new IllegalArgumentException("a MAC needs a key");
    }
    byte[] block = Arrays.copyOf(key.length > BLOCK_BYTES ? fresh().digest(key) : key, BLOCK_BYTES);
    for (int index = 0; index < BLOCK_BYTES; index++) {
      block[index] ^= pad;
    }
    MessageDigest digest = fresh();
    digest.update(block);
    return digest;
  }

  private static byte[] ended(byte[] key, MessageDigest inner) {
    return begun(key, OUTER_PAD).digest(inner.digest());
  }

  private static MessageDigest fresh() {
    try {
      return (MessageDigest) EMPTY.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("this JVM's SHA-256 cannot be cloned", e);
    }
  }
}
