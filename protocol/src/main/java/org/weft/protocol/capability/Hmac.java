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

  /** Never given a key itself: to look the algorithm up for every MAC costs more than the MAC. */
  private static final Mac WITHOUT_KEY = withoutKey();

  private Hmac() {}

  private static Mac withoutKey() {
    try {
      return Mac.getInstance(ALGORITHM);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no " + ALGORITHM, e);
    }
  }

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
      Mac mac = (Mac) WITHOUT_KEY.clone();
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException | CloneNotSupportedException e) {
      throw new IllegalStateException("this JVM's " + ALGORITHM + " does not work: " + e, e);
    }
  }
}
