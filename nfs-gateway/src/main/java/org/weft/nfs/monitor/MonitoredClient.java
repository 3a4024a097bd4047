package org.weft.nfs.monitor;

import java.net.InetAddress;

/**
 * A host with locks.
 *
 * @param server the gateway's address that it calls
 * @param client its own address
 * @param name how it names itself in its locks (caller_name)
 */
public record MonitoredClient(InetAddress server, InetAddress client, String name) {
  private static final int MOST_NAME_CHARS = 255;

  /** A host may be recorded under that name. */
  public static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MOST_NAME_CHARS
        && name.chars().noneMatch(Character::isISOControl);
  }
}
