package org.weft.sysmgr.configuration.cluster;

import java.util.Arrays;
import org.weft.protocol.capability.Hmac;

/** Bytes that must not be shown: a key or a token. Prints as stars, compares in constant time. */
public final class Secret {
  private final byte[] bytes;

  private Secret(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Secret of(byte[] bytes) {
    return new Secret(bytes.clone());
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  public int length() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && Hmac.same(bytes, secret.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return "***";
  }
}
