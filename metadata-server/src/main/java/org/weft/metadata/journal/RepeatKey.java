package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Objects;

/**
 * What tells a request of a gateway's client from all others (P 6.5c), through whichever gateway
 * and session it comes.
 *
 * @param client address of the client's host, 4 or 16 bytes
 * @param number the client's own for the request; it uses numbers again
 * @param checksum over the procedure, the credential and the arguments
 */
public record RepeatKey(ByteString client, int number, int checksum) {
  public RepeatKey {
    Objects.requireNonNull(client, "client");
    if (client.size() != 4 && client.size() != 16) {
      throw new IllegalArgumentException(
          "the address of a host has 4 or 16 bytes, got " + client.size());
    }
  }
}
