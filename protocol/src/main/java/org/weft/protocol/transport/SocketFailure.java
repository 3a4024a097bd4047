package org.weft.protocol.transport;

import io.netty.channel.ConnectTimeoutException;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.util.List;
import java.util.Locale;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.OwnLimits;

/**
 * Turns a failure of a socket into a sentence that says what it means and what to do about it. The
 * words are the same for all kinds of sockets, since the kernel's numbers and the names of its
 * calls do not help.
 */
final class SocketFailure {
  /** What the kernel's own words contain, and what they are called here. */
  private record Meaning(String contained, String plain) {}

  private static final List<Meaning> MEANINGS =
      List.of(
          new Meaning("connection refused", "connection refused"),
          new Meaning("no route to host", "there is no way to that host"),
          new Meaning("host is unreachable", "there is no way to that host"),
          new Meaning("network is unreachable", "there is no way to that network"),
          new Meaning("connection timed out", "it did not reply"),
          new Meaning("connection reset", "the other side cut the connection"),
          new Meaning("broken pipe", "the other side cut the connection"),
          new Meaning("address already in use", "the port is in use"),
          new Meaning("cannot assign requested address", "that is no address of this machine"),
          new Meaning("permission denied", "this user may not do that"));

  private SocketFailure() {}

  /** The failure of a connection that is open, as a part of a sentence. */
  static String inPlainWords(Throwable cause) {
    if (OwnLimits.caused(cause)) {
      return OwnLimits.inWords(cause);
    }
    if (cause instanceof ConnectTimeoutException) {
      return "it did not reply";
    }
    if (cause instanceof NoRouteToHostException) {
      return "there is no way to that host";
    }
    String said = String.valueOf(cause.getMessage());
    String lower = said.toLowerCase(Locale.ROOT);
    return MEANINGS.stream()
        .filter(meaning -> lower.contains(meaning.contained()))
        .map(Meaning::plain)
        .findFirst()
        .orElse(said);
  }

  /** Why no process can be reached there, and what to look at. */
  static String connecting(Endpoint remote, Throwable cause) {
    String why = inPlainWords(cause);
    if (OwnLimits.caused(cause)) {
      return remote + ": cannot connect: " + why;
    }
    String advice =
        why.equals("connection refused")
            ? "; nothing listens there: start what should, or correct the address"
            : "; check the address, that the machine is up, and what stands between";
    return remote + ": cannot connect: " + why + advice;
  }

  /** Why no client can be served there, and what to do. */
  static String listening(Endpoint local, Throwable cause) {
    String why = inPlainWords(cause);
    boolean taken = cause instanceof BindException && why.equals("the port is in use");
    String advice =
        taken
            ? "stop what uses it or choose another"
            : "give an address of this machine and a port that is free";
    return "cannot listen on " + local + ": " + why + "; " + advice;
  }
}
