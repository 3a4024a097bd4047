package org.weft.protocol.capability;

import java.nio.charset.StandardCharsets;

/**
 * The key with which daemons sign what they ask of SysMgr. It is made from the cluster's join
 * token, so that the token itself never crosses the wire.
 */
public final class JoinSecret {
  private static final byte[] LABEL = "weft-join".getBytes(StandardCharsets.US_ASCII);

  private JoinSecret() {}

  /** HMAC-SHA256(join token, "weft-join"): 32 bytes. */
  public static byte[] of(byte[] joinToken) {
    return Hmac.sha256(joinToken, LABEL);
  }
}
