package org.weft.nfs.monitor;

import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * A host with locks.
 *
 * @param server the gateway's address that it calls
 * @param client its own address
 * @param name how it names itself in its locks (caller_name)
 */
public record MonitoredClient(InetAddress server, InetAddress client, String name) {
  private static final int MAX_NAME_CHARS = 255;

  /**
   * An address as the list has it: without the interface, which the host and its channels name in
   * several ways (%eth0, %2, %0).
   */
  public static String withoutInterface(InetAddress address) {
    String text = address.getHostAddress();
    int scope = text.indexOf('%');
    return scope < 0 ? text : text.substring(0, scope);
  }

  /** The client's address likewise; with the interface's number if it is reached by that alone. */
  public String clientText() {
    boolean isByInterface =
        client instanceof Inet6Address scoped
            && scoped.isLinkLocalAddress()
            && scoped.getScopeId() > 0;
    return withoutInterface(client)
        + (isByInterface ? "%" + ((Inet6Address) client).getScopeId() : "");
  }

  /** A host may be recorded under that name. */
  public static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME_CHARS
        && name.chars().noneMatch(Character::isISOControl);
  }
}
