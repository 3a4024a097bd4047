package org.weft.metadata.session;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

/**
 * How many sessions of a volume each host and each user has. A host may have a quarter of all, so
 * that no single host shuts others out. A user may have three quarters. Users are stated by clients
 * and proven by nothing, and with less a host could use up the share of another's users. Confined
 * to the volume's thread.
 */
final class SessionShares {
  private final int mostOfHost;
  private final int mostOfUser;
  private final Map<SessionId, String> hosts = new HashMap<>();
  private final Map<String, Integer> ofHost = new HashMap<>();
  private final Map<SessionId, String> users = new HashMap<>();
  private final Map<String, Integer> ofUser = new HashMap<>();

  SessionShares(int most) {
    this.mostOfHost = most / 4;
    this.mostOfUser = most - most / 4;
  }

  /**
   * @param isOpen whether there is such a session: one that was noted may never have been opened
   */
  void requireRoom(String host, String user, Predicate<SessionId> isOpen) throws WeftException {
    if (ofHost.getOrDefault(host, 0) >= mostOfHost) {
      forgetAllBut(isOpen);
    }
    if (ofHost.getOrDefault(host, 0) >= mostOfHost) {
      throw full("host " + host, mostOfHost, "of one host");
    }
    if (ofUser.getOrDefault(user, 0) >= mostOfUser) {
      throw full("user " + user, mostOfUser, "of one user");
    }
  }

  private static WeftException full(String whose, int bound, String kind) {
    return new WeftException(
        ErrorCode.OVERLOADED,
        "%s has %d sessions, as many as a manager takes %s; end some of its clients, or try again later"
            .formatted(whose, bound, kind));
  }

  private void forgetAllBut(Predicate<SessionId> isOpen) {
    hosts.keySet().stream().filter(isOpen.negate()).toList().forEach(this::forgetHost);
  }

  void opened(SessionId id, String user) {
    if (users.put(id, user) == null) {
      ofUser.merge(user, 1, Integer::sum);
    }
  }

  /** A client of that host opens or renews the session. */
  void heardFrom(SessionId id, String host) {
    if (!host.equals(hosts.get(id))) {
      forgetHost(id);
      hosts.put(id, host);
      ofHost.merge(host, 1, Integer::sum);
    }
  }

  void ended(SessionId id) {
    forgetHost(id);
    String user = users.remove(id);
    if (user != null) {
      less(ofUser, user);
    }
  }

  private void forgetHost(SessionId id) {
    String host = hosts.remove(id);
    if (host != null) {
      less(ofHost, host);
    }
  }

  private static void less(Map<String, Integer> counts, String key) {
    counts.computeIfPresent(key, (same, count) -> count > 1 ? count - 1 : null);
  }
}
