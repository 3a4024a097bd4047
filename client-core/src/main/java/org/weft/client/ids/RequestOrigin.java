package org.weft.client.ids;

import com.google.protobuf.ByteString;

/**
 * Where a request comes from, so that a repeat through another gateway can be told. Managers of
 * earlier releases do not look at it: there such a repeat is carried out again.
 *
 * @param client address of the program's host, 4 or 16 bytes
 * @param number the client's own for the request, such as an RPC's transaction id
 * @param checksum over what was asked, its kind included, since clients use numbers again
 */
public record RequestOrigin(ByteString client, int number, int checksum) {
  public RequestOrigin {
    if (client.size() != 4 && client.size() != 16) {
      throw new IllegalArgumentException(
          "the address of a host has 4 or 16 bytes, got " + client.size());
    }
  }
}
