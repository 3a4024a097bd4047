package org.weft.client.ids;

import com.google.protobuf.ByteString;

/**
 * Where a request comes from, so that a repeat through another gateway can be told. Managers of
 * earlier releases do not look at it: there such a repeat is carried out again.
 *
 * @param client address of the program's host, 4 or 16 bytes
 * @param number the client's own for the request, such as an RPC's transaction id
 * @param checksum over what was asked, its kind included, since clients use numbers again: for
 *     managers of earlier releases
 * @param digest {@link #DIGEST_BYTES} of a cryptographic hash over the same, with the program's
 *     user. A request is known by this, and programs of one host cannot shape it
 */
public record RequestOrigin(ByteString client, int number, int checksum, ByteString digest) {
  public static final int DIGEST_BYTES = 16;

  public RequestOrigin {
    if (client.size() != 4 && client.size() != 16) {
      throw new IllegalArgumentException(
          "the address of a host has 4 or 16 bytes, got " + client.size());
    }
    if (digest.size() != DIGEST_BYTES) {
      throw new IllegalArgumentException(
          "the digest of a request has " + DIGEST_BYTES + " bytes, got " + digest.size());
    }
  }
}
