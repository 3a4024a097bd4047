package org.weft.protocol.rpc;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A range of addresses.
 *
 * @param base its first address
 * @param prefixBits that all addresses in it share with the first
 */
public record Network(InetAddress base, int prefixBits) {
  /** All four numbers: 10.1 would be read as 10.0.0.1. */
  private static final String ADDRESS = "[0-9]{1,3}([.][0-9]{1,3}){3}|[0-9a-fA-F.]*:[0-9a-fA-F.:]+";

  public Network {
    if (prefixBits < 0 || prefixBits > base.getAddress().length * Byte.SIZE) {
      throw new IllegalArgumentException(
          base.getHostAddress() + " has no prefix of " + prefixBits + " bits");
    }
  }

  /**
   * Reads an address, or a range such as 10.1.0.0/16. Names are not looked up.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static Network parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (!address.matches(ADDRESS)) {
      throw new IllegalArgumentException(
          "'" + text + "' is no address or range such as 10.1.0.0/16");
    }
    try {
      InetAddress base = InetAddress.getByName(address);
      int all = base.getAddress().length * Byte.SIZE;
      return new Network(base, slash < 0 ? all : Integer.parseInt(text.substring(slash + 1)));
    } catch (UnknownHostException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no address or range such as 10.1.0.0/16", e);
    }
  }

  public boolean contains(InetAddress address) {
    byte[] mine = base.getAddress();
    byte[] other = address.getAddress();
    if (mine.length != other.length) {
      return false;
    }
    int whole = prefixBits / Byte.SIZE;
    for (int i = 0; i < whole; i++) {
      if (mine[i] != other[i]) {
        return false;
      }
    }
    int rest = prefixBits % Byte.SIZE;
    return rest == 0 || (mine[whole] ^ other[whole]) >> (Byte.SIZE - rest) == 0;
  }

  @Override
  public String toString() {
    return base.getHostAddress() + "/" + prefixBits;
  }
}
