package org.weft.protocol.capability;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.weft.protocol.wire.ConfigurationCopy;

/**
 * The signature of a copy of the configuration, with the key made from the cluster's join token.
 */
public final class CopySeal {
  private static final byte[] LABEL = "weft-copy".getBytes(StandardCharsets.US_ASCII);
  private static final int NUMBERS_BYTES = Integer.BYTES + 3 * Long.BYTES;

  private CopySeal() {}

  /** What belongs into the copy's field {@code mac}. */
  public static byte[] of(ConfigurationCopy copy, byte[] joinSecret) {
    byte[] cluster = copy.getClusterId().getBytes(StandardCharsets.UTF_8);
    ByteBuffer numbers = ByteBuffer.allocate(NUMBERS_BYTES);
    numbers
        .putInt(copy.getFormatVersion())
        .putLong(copy.getVersion())
        .putLong(copy.getMadeMillis())
        .putLong(cluster.length);
    return Hmac.sha256(
        joinSecret, LABEL, numbers.array(), cluster, copy.getSnapshot().toByteArray());
  }

  /** True if a holder of the join token has made the copy just so. */
  public static boolean isGenuine(ConfigurationCopy copy, byte[] joinSecret) {
    return Hmac.same(of(copy, joinSecret), copy.getMac().toByteArray());
  }
}
