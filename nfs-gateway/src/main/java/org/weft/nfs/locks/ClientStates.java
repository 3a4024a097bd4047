package org.weft.nfs.locks;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The states of clients as their locks name them: a status monitor counts the starts of its host.
 * So a client that has started again is noticed by its first lock, be its NOTIFY lost. Confined to
 * the executor of the table.
 */
final class ClientStates {
  private static final int MOST = 10_000;

  private record Host(InetAddress address, String name) {}

  /** The longest unheard first. */
  private final Map<Host, Integer> known = new LinkedHashMap<>(16, 0.75f, true);

  /** False for a state that is not said, and for the first one that is heard of a client. */
  boolean hasStartedAgain(NlmOwner owner, int state) {
    if (state == 0) {
      return false;
    }
    Host host = new Host(owner.client(), owner.name());
    Integer before = known.get(host);
    if (before != null && state - before <= 0) {
      return false;
    }
    known.put(host, state);
    if (known.size() > MOST) {
      known.remove(known.keySet().iterator().next());
    }
    return before != null;
  }
}
