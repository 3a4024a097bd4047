package org.weft.protocol.transport;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which connections a listener keeps when there are many. A connection is proven once a request on
 * it was signed with a secret that the server knows. Of one host a bounded number may be there in
 * total, half of that number unproven; a quarter of all is for proven ones alone.
 *
 * <p>Past a bound, the listener ends the connection of that host that was idle for longest. It ends
 * only one that proved nothing, has no request under way and was idle for a second at least. Where
 * none is like that, the new one is refused. So no connection of a session ends, nor the control
 * connection that its renewals came by. That a HELLO asks for a control connection proves nothing.
 * Thread-safe.
 */
final class ConnectionAdmission {
  /** A connection that had a request so short a time ago is not ended for another one. */
  static final long MIN_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Bounds of one host are no less unless that is configured, or all connections are fewer. */
  private static final int MIN_OF_HOST = 64;

  /** A connection as it is counted. */
  static final class Guest {
    private final String host;
    private final Runnable end;
    private final AtomicLong activeNanos;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean proven;

    /**
     * @param host where it comes from
     * @param end ends the connection; runs on any thread and must be quick
     */
    Guest(String host, Runnable end, long nowNanos) {
      this.host = host;
      this.end = end;
      this.activeNanos = new AtomicLong(nowNanos);
    }

    /** A request has come on it. On the thread of the connection. */
    void began(long nowNanos) {
      activeNanos.setOpaque(nowNanos);
      underWay.setOpaque(underWay.getPlain() + 1);
    }

    /** A request has been answered. On the thread of the connection. */
    void answered(long nowNanos) {
      activeNanos.setOpaque(nowNanos);
      underWay.setOpaque(underWay.getPlain() - 1);
    }

    boolean proven() {
      return proven;
    }

    String host() {
      return host;
    }

    private boolean mayEnd(long nowNanos) {
      return !proven && underWay.getOpaque() == 0 && idleNanos(nowNanos) >= MIN_IDLE_NANOS;
    }

    private long idleNanos(long nowNanos) {
      return nowNanos - activeNanos.getOpaque();
    }
  }

  private static final class Count {
    private int all;
    private int unproven;
  }

  private final int most;
  private final int mostUnproven;
  private final int mostOfHost;
  private final int mostUnprovenOfHost;
  private final Set<Guest> guests = new LinkedHashSet<>();
  private final Map<String, Count> hosts = new HashMap<>();
  private final Count total = new Count();

  /**
   * @param most connections in all
   * @param mostOfHost of them, that one host may have
   */
  ConnectionAdmission(int most, int mostOfHost) {
    this.most = most;
    this.mostUnproven = Math.max(most - most / 4, Math.min(most, MIN_OF_HOST));
    this.mostOfHost = Math.min(most, mostOfHost);
    this.mostUnprovenOfHost = Math.max(this.mostOfHost / 2, Math.min(this.mostOfHost, MIN_OF_HOST));
  }

  /** What one host may have where nothing else is configured: half of all. */
  static int usualOfHost(int most) {
    return Math.max(most / 2, Math.min(most, MIN_OF_HOST));
  }

  /**
   * Counts a new connection in, perhaps in the place of another one, which is ended.
   *
   * @return why it cannot stay; then it does not count
   */
  Optional<String> admit(Guest guest, long nowNanos) {
    Guest victim = null;
    synchronized (this) {
      Optional<Full> full = full(guest.host);
      if (full.isPresent()) {
        victim = idlest(full.get().victimsHost(), nowNanos);
        if (victim == null) {
          return Optional.of(full.get().why());
        }
        remove(victim);
      }
      guests.add(guest);
      count(guest, 1);
    }
    if (victim != null) {
      victim.end.run();
    }
    return Optional.empty();
  }

  /** A bound that is reached, and of which host a connection may end for it. */
  private record Full(String why, String victimsHost) {}

  private Optional<Full> full(String host) {
    Count own = hosts.getOrDefault(host, new Count());
    if (own.all >= mostOfHost) {
      return Optional.of(
          new Full(
              "%d connections of %s, as many as one host may have (connections-of-host)"
                  .formatted(own.all, host),
              host));
    }
    if (own.unproven >= mostUnprovenOfHost) {
      return Optional.of(
          new Full(
              "%d connections of %s that signed no request, half of what one host may have (connections-of-host)"
                  .formatted(own.unproven, host),
              host));
    }
    if (guests.size() >= most || total.unproven >= mostUnproven) {
      return Optional.of(
          new Full(
              "%d connections, %d of them without a signed request (connections)"
                  .formatted(guests.size(), total.unproven),
              crowd()));
    }
    return Optional.empty();
  }

  /** The host with most unproven connections. */
  private String crowd() {
    return hosts.entrySet().stream()
        .max(
            Comparator.comparingInt((Map.Entry<String, Count> each) -> each.getValue().unproven)
                .thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey)
        .orElse("");
  }

  private Guest idlest(String host, long nowNanos) {
    return guests.stream()
        .filter(guest -> guest.host.equals(host) && guest.mayEnd(nowNanos))
        .max(Comparator.comparingLong((Guest guest) -> guest.idleNanos(nowNanos)))
        .orElse(null);
  }

  /** A request of this connection was signed. */
  synchronized void prove(Guest guest) {
    if (guests.contains(guest) && !guest.proven) {
      count(guest, -1);
      guest.proven = true;
      count(guest, 1);
    }
  }

  /** The connection has ended. */
  synchronized void leave(Guest guest) {
    remove(guest);
  }

  private void remove(Guest guest) {
    if (guests.remove(guest)) {
      count(guest, -1);
    }
  }

  private void count(Guest guest, int change) {
    Count own = hosts.computeIfAbsent(guest.host, host -> new Count());
    own.all += change;
    own.unproven += guest.proven ? 0 : change;
    total.unproven += guest.proven ? 0 : change;
    if (own.all == 0) {
      hosts.remove(guest.host);
    }
  }
}
