package org.weft.protocol.rpc;

import java.util.Arrays;
import java.util.List;
import org.weft.protocol.wire.AddressMessage;

/** A TCP address, written {@code host:port}. */
public record Endpoint(String host, int port) {
  public Endpoint {
    if (host.isBlank()) {
      throw new IllegalArgumentException("an address needs a host, as in localhost:7300");
    }
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port must be 0..65535, got " + port);
    }
  }

  /** Parses {@code host:port} or {@code [v6]:port}. */
  public static Endpoint parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException("expected HOST:PORT, got '" + text + "'");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return new Endpoint(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected HOST:PORT with a number, got '" + text + "'", e);
    }
  }

  /**
   * Parses addresses that are separated by commas; at least one.
   *
   * @throws IllegalArgumentException naming the part that is no address
   */
  public static List<Endpoint> parseAll(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::trim).map(Endpoint::parse).toList();
  }

  /** The address of a message. */
  public static Endpoint fromMessage(AddressMessage message) {
    return new Endpoint(message.getHost(), message.getPort());
  }

  /** The same as a message. */
  public AddressMessage toMessage() {
    return AddressMessage.newBuilder().setHost(host).setPort(port).build();
  }

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Endpoint that && port == that.port && host.equals(that.host);
  }

  @Override
  public int hashCode() {
    return 31 * host.hashCode() + port;
  }
}
