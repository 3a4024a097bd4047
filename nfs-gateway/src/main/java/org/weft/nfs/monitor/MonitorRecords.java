package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The list of hosts with locks, which outlives gateways. An answered change is durable.
 * Thread-safe; futures fail with a WeftException: UNSUPPORTED if there is no list.
 */
public interface MonitorRecords {
  /**
   * Stored state of addresses.
   *
   * @param state odd, and larger than any earlier one
   * @param clients those with locks through these addresses
   * @param lost addresses that another gateway has, which was heard a moment ago
   */
  record Taken(int state, List<MonitoredClient> clients, Set<InetAddress> lost) {}

  /**
   * A change of the list.
   *
   * @param number grows with each that names clients; a repeat has the same
   * @param claims of the addresses that are said to be this gateway's, and at least of those of the
   *     clients
   * @param removed before others are added
   */
  record Change(
      long number,
      Map<InetAddress, Long> claims,
      List<MonitoredClient> removed,
      List<MonitoredClient> added) {}

  /**
   * What became of a change.
   *
   * @param lost addresses that another gateway has taken; the change does not count for them
   * @param refused not recorded, as there are too many
   */
  record Changed(Set<InetAddress> lost, Set<MonitoredClient> refused) {}

  /** This gateway serves the addresses from now on; a repeat has the same claim. */
  CompletableFuture<Taken> take(long claim, List<InetAddress> servers);

  CompletableFuture<Changed> change(Change change);
}
