package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Objects;

/**
 * Identifies a request of a gateway's client among all others (P 6.5c), through whichever gateway
 * and session it comes. Two keys are equal if client, number and digest are; the checksum counts
 * where there is no digest.
 *
 * @param client address of the client's host, 4 or 16 bytes
 * @param number the client's own for the request; it uses numbers again
 * @param checksum over the procedure, the credential and the arguments: users of that host can
 *     shape it
 * @param digest 16 bytes of a cryptographic hash over the same; empty in what gateways of earlier
 *     releases state, and in records of that time
 */
public record RepeatKey(ByteString client, int number, int checksum, ByteString digest) {
  public static final int DIGEST_BYTES = 16;

  public RepeatKey {
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(digest, "digest");
    if (client.size() != 4 && client.size() != 16) {
      throw new IllegalArgumentException(
          "the address of a host has 4 or 16 bytes, got " + client.size());
    }
    if (!digest.isEmpty() && digest.size() != DIGEST_BYTES) {
      throw new IllegalArgumentException(
          "the digest of a request has " + DIGEST_BYTES + " bytes, got " + digest.size());
    }
  }

  /** As earlier releases state the same request. */
  public RepeatKey withoutDigest() {
    return new RepeatKey(client, number, checksum, ByteString.EMPTY);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RepeatKey that
        && client.equals(that.client)
        && number == that.number
        && digest.equals(that.digest)
        && (!digest.isEmpty() || checksum == that.checksum);
  }

  @Override
  public int hashCode() {
    return Objects.hash(client, number, digest.isEmpty() ? checksum : digest.hashCode());
  }
}
