package org.weft.protocol.capability;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA256, as every signature here is made. */
public final class Hmac {
  /** Bytes of a MAC on the wire: the first of the 32. */
  public static final int WIRE_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";

  private Hmac() {}

  /** The whole MAC of the parts, one after another. */
  public static byte[] sha256(byte[] key, byte[]... parts) {
    Mac mac = keyed(key);
    for (byte[] part : parts) {
      mac.update(part);
    }
    return mac.doFinal();
  }

  /** The first 16 bytes of the MAC of the parts, whose positions stay. */
  public static byte[] wire(byte[] key, ByteBuffer... parts) {
    Mac mac = keyed(key);
    for (ByteBuffer part : parts) {
      mac.update(part.duplicate());
    }
    return java.util.Arrays.copyOf(mac.doFinal(), WIRE_BYTES);
  }

  /** Compares in constant time. */
  public static boolean same(byte[] left, byte[] right) {
    return MessageDigest.isEqual(left, right);
  }

  private static Mac keyed(byte[] key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
    }
  }
}
