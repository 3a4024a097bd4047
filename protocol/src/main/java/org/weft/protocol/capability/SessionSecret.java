package org.weft.protocol.capability;

import java.util.random.RandomGenerator;

/**
 * The holder of a session with a manager signs its requests with this secret. The manager draws 128
 * random bits and tells them once, in the reply that opens the session (P 6.5). Immutable. It is
 * part of the volume's live state, and of nothing that people are shown.
 */
public final class SessionSecret {
  public static final int BYTES = 16;

  private final byte[] bytes;

  private SessionSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Draws one.
   *
   * @param random cryptographically strong in a daemon
   */
  public static SessionSecret draw(RandomGenerator random) {
    byte[] drawn = new byte[BYTES];
    random.nextBytes(drawn);
    return new SessionSecret(drawn);
  }

  /**
   * @throws IllegalArgumentException unless there are {@value #BYTES} bytes
   */
  public static SessionSecret of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "a session's secret has " + BYTES + " bytes, got " + bytes.length);
    }
    return new SessionSecret(bytes.clone());
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SessionSecret that && Hmac.same(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return java.util.Arrays.hashCode(bytes);
  }

  /** Says nothing of the secret itself. */
  @Override
  public String toString() {
    return "a session's secret";
  }
}
