package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Pending changes of the list, in portions that SysMgr takes, however many addresses a host has.
 * Confined to the executor of the monitor.
 */
final class PendingChanges {
  private static final int MAX_CHANGED = 500;

  /** Addresses of one change. */
  static final int MAX_CLAIMS = 256;

  private final Set<MonitoredClient> toAdd = new LinkedHashSet<>();
  private final Set<MonitoredClient> toRemove = new LinkedHashSet<>();
  private final Set<InetAddress> toSay = new LinkedHashSet<>();
  private long number;

  void add(MonitoredClient client) {
    toAdd.add(client);
  }

  void remove(MonitoredClient client) {
    toRemove.add(client);
  }

  /** False if it was not to be removed. */
  boolean keep(MonitoredClient client) {
    return toRemove.remove(client);
  }

  /** The report that this gateway has them, with a change or without one. */
  void say(Collection<InetAddress> servers) {
    toSay.addAll(servers);
  }

  void forget(InetAddress server) {
    toAdd.removeIf(each -> each.server().equals(server));
    toRemove.removeIf(each -> each.server().equals(server));
    toSay.remove(server);
  }

  void clear() {
    toAdd.clear();
    toRemove.clear();
    toSay.clear();
  }

  /**
   * Changes that came together go together, as many as one change holds. They carry the claims that
   * they need, and as many further claims as there is room for. Empty if nothing is to be said.
   *
   * @param claims of the addresses that are taken; what is to be said of others waits
   */
  Optional<MonitorRecords.Change> next(Map<InetAddress, Long> claims) {
    Map<InetAddress, Long> said = new HashMap<>();
    Stream.concat(toRemove.stream(), toAdd.stream())
        .map(MonitoredClient::server)
        .filter(claims::containsKey)
        .distinct()
        .limit(MAX_CLAIMS)
        .forEach(server -> said.put(server, claims.get(server)));
    List<MonitoredClient> removed = taken(toRemove, said);
    List<MonitoredClient> added = taken(toAdd, said);
    toSay.removeAll(said.keySet());
    toSay.retainAll(claims.keySet());
    List<InetAddress> more = toSay.stream().limit(MAX_CLAIMS - said.size()).toList();
    more.forEach(server -> said.put(server, claims.get(server)));
    more.forEach(toSay::remove);
    if (said.isEmpty()) {
      return Optional.empty();
    }
    long mine = removed.isEmpty() && added.isEmpty() ? 0 : ++number;
    return Optional.of(new MonitorRecords.Change(mine, said, removed, added));
  }

  /** Those of addresses of which something is said. */
  private static List<MonitoredClient> taken(
      Set<MonitoredClient> all, Map<InetAddress, Long> said) {
    List<MonitoredClient> some =
        all.stream().filter(each -> said.containsKey(each.server())).limit(MAX_CHANGED).toList();
    some.forEach(all::remove);
    return some;
  }
}
