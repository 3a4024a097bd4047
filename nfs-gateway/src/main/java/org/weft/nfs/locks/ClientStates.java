package org.weft.nfs.locks;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The states of clients as their locks and their status monitors name them: a status monitor counts
 * the starts of its host. So the first lock of a restarted client shows the restart, even if its
 * NOTIFY was lost. A repeated NOTIFY takes away nothing that came after the first one (P 6.5a.53).
 * Confined to the executor of the table.
 */
final class ClientStates {
  private static final int MAX = 10_000;

  /** A notice from any port counts only for locks that were requested from any port. */
  private record Host(InetAddress address, String name, boolean reserved) {}

  /** The longest unheard first. */
  private final Map<Host, Integer> known = new LinkedHashMap<>(16, 0.75f, true);

  /** False for an unknown state, and for the first known one of a client. */
  boolean hasStartedAgain(LockRequest request) {
    Host host = host(request);
    boolean isKnown = known.containsKey(host);
    return hear(host, request.state()) && isKnown;
  }

  /**
   * The client's status monitor has said its state. That counts also if it is an earlier one: a
   * host that was installed anew counts its starts from the beginning.
   *
   * @return true if it is a repeat, and not a new start
   */
  boolean tell(InetAddress client, String name, boolean reserved, int state) {
    boolean again = tell(new Host(client, name, false), state);
    return reserved ? tell(new Host(client, name, true), state) : again;
  }

  private boolean tell(Host host, int state) {
    Integer before = known.get(host);
    if (state == 0) {
      return false;
    }
    put(host, state);
    return before != null && before == state;
  }

  /**
   * The request with the state that is known of its client, if it says none: a reservation never
   * does. It may be of a later start, and not of an earlier one.
   */
  LockRequest stated(LockRequest request) {
    return request.state() == 0 ? request.inState(known.getOrDefault(host(request), 0)) : request;
  }

  private static Host host(LockRequest request) {
    return new Host(request.owner().client(), request.owner().name(), request.reserved());
  }

  /** False for a state that is not said, or is no later one than that which is known. */
  private boolean hear(Host host, int state) {
    Integer before = known.get(host);
    if (state == 0 || before != null && state - before <= 0) {
      return false;
    }
    put(host, state);
    return true;
  }

  private void put(Host host, int state) {
    known.put(host, state);
    if (known.size() > MAX) {
      known.remove(known.keySet().iterator().next());
    }
  }
}
