package org.weft.nfs.locks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.weft.nfs.monitor.MonitoredClient;

/**
 * Hosts of which a person has said that they are gone for good (P 6.5f): all that they have locked
 * is unlocked. SysMgr says so for a while; each wish is executed once. Confined to one executor.
 */
public final class ForgottenHosts {
  private static final int MAX_REMEMBERED = 1_000;

  /** As a client's kernel has one: what it locked from there goes, too. */
  private static final int RESERVED_PORT = 1;

  private record Host(InetAddress client, String name) {}

  private final Set<Long> done = new LinkedHashSet<>();

  /**
   * Unlocks what the host has, unless that was wished for before.
   *
   * @param client its address
   * @param name how it names itself; empty: whatever calls from the address
   */
  public void forget(long wish, String client, String name, ClientLocks locks) {
    if (!done.add(wish)) {
      return;
    }
    if (done.size() > MAX_REMEMBERED) {
      Iterator<Long> eldest = done.iterator();
      eldest.next();
      eldest.remove();
    }
    var unused =
        locks
            .inUse()
            .thenAccept(clients -> hosts(clients, client, name).forEach(each -> free(each, locks)));
  }

  private static void free(Host host, ClientLocks locks) {
    var unused = locks.freeAll(new InetSocketAddress(host.client(), RESERVED_PORT), host.name(), 0);
  }

  private static Set<Host> hosts(Set<MonitoredClient> clients, String client, String name) {
    Set<Host> found = new LinkedHashSet<>();
    for (MonitoredClient each : clients) {
      if (each.client().getHostAddress().equals(client)
          && (name.isEmpty() || each.name().equals(name))) {
        found.add(new Host(each.client(), each.name()));
      }
    }
    return found;
  }
}
