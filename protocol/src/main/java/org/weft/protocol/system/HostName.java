package org.weft.protocol.system;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** Finds the name by which this machine calls itself. */
public final class HostName {
  private HostName() {}

  /** Its name, as a daemon without another one tells it; empty if the machine does not know it. */
  public static Optional<String> own() {
    try {
      return Optional.of(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }
}
