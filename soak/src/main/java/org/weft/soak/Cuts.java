package org.weft.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.CutCluster;
import org.weft.soak.process.SwitchedNetwork;

/**
 * Cuts the network between hosts, keeps it so for a while, and mends it. The operator stays on one
 * side. At most one OSD is on the other side than the rest, as many as a file of the default layout
 * bears.
 */
final class Cuts {
  private static final long STATE_SECONDS = 120;
  private static final int MIN_MILLIS = 1_000;
  private static final int MAX_MILLIS = 8_000;
  private static final int BEYOND_LEASE_MILLIS = 2_500;

  /** Longer than a client's session. */
  private static final int MIN_LONG_MILLIS = 13_000;

  private static final int MAX_LONG_MILLIS = 25_000;
  private static final int MAX_PAIRS = 3;

  private final CutCluster cluster;
  private final ClusterWatch watch;
  private final int clients;
  private final SoakTally tally;
  private final Random random;

  Cuts(CutCluster cluster, ClusterWatch watch, int clients, SoakTally tally, Random random) {
    this.cluster = cluster;
    this.watch = watch;
    this.clients = clients;
    this.tally = tally;
    this.random = random;
  }

  /** The host of a client's processes; clients count from 0. */
  static String client(int number) {
    return "client-" + number;
  }

  /** An OSD alone, until SysMgr has given it up. */
  void osd() throws Exception {
    int number = 1 + random.nextInt(cluster.osds());
    int id = watch.idAt(cluster.osdPort(number));
    String host = cluster.osd(number).name();
    long beginNanos = System.nanoTime();
    cluster.network().cut(List.of(host));
    watch.awaitState(STATE_SECONDS, id, NodeState.DOWN);
    cluster.network().mend();
    tally.fault(SoakFault.CUT_OSD, host, beginNanos);
  }

  /** A manager, perhaps with a member of SysMgr and a client, until its lease is over. */
  void manager() throws Exception {
    Set<String> apart = new HashSet<>();
    apart.add(cluster.manager(1 + random.nextInt(cluster.managers())).name());
    if (random.nextBoolean()) {
      apart.add(cluster.sysmgr(1 + random.nextInt(cluster.members())).name());
    }
    if (random.nextBoolean()) {
      apart.add(client(random.nextInt(clients)));
    }
    lasting(SoakFault.CUT_MANAGER, apart, millisOrLonger(BEYOND_LEASE_MILLIS));
  }

  private long millisOrLonger(int leastMillis) {
    return random.nextInt(3) == 0
        ? between(MIN_LONG_MILLIS, MAX_LONG_MILLIS)
        : between(leastMillis, MAX_MILLIS);
  }

  private long between(int leastMillis, int mostMillis) {
    return (long) leastMillis + random.nextInt(mostMillis - leastMillis);
  }

  /** Pairs of hosts that do not reach each other; one OSD at most is among them. */
  void pairs() throws Exception {
    List<String> hosts = new ArrayList<>();
    hosts.add(cluster.osd(1 + random.nextInt(cluster.osds())).name());
    for (int number = 1; number <= cluster.managers(); number++) {
      hosts.add(cluster.manager(number).name());
    }
    for (int member = 1; member <= cluster.members(); member++) {
      hosts.add(cluster.sysmgr(member).name());
    }
    for (int number = 0; number < clients; number++) {
      hosts.add(client(number));
    }
    int count = 1 + random.nextInt(MAX_PAIRS);
    long millis = millisOrLonger(MIN_MILLIS);
    List<String> pairs = new ArrayList<>();
    long beginNanos = System.nanoTime();
    for (int pair = 0; pair < count; pair++) {
      String one = hosts.get(random.nextInt(hosts.size()));
      String other = hosts.get(random.nextInt(hosts.size()));
      if (!one.equals(other)) {
        cluster.network().mute(one, List.of(other));
        cluster.network().mute(other, List.of(one));
        pairs.add(one + " and " + other);
      }
    }
    tally.event(SoakFault.CUT_PAIRS + " for " + millis + " ms: " + pairs);
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    cluster.network().mend();
    tally.fault(SoakFault.CUT_PAIRS, pairs.toString(), beginNanos);
  }

  /** Puts each host on either side, or mutes it for the other side. */
  void atRandom(SoakFault kind) throws Exception {
    Set<String> apart = new HashSet<>();
    for (int number = 1; number <= cluster.managers(); number++) {
      perhaps(apart, cluster.manager(number).name());
    }
    for (int member = 1; member <= cluster.members(); member++) {
      perhaps(apart, cluster.sysmgr(member).name());
    }
    for (int number = 0; number < clients; number++) {
      perhaps(apart, client(number));
    }
    int lone = random.nextBoolean() ? 1 + random.nextInt(cluster.osds()) : 0;
    boolean mostAreApart = random.nextBoolean();
    for (int number = 1; number <= cluster.osds(); number++) {
      if (mostAreApart != (number == lone)) {
        apart.add(cluster.osd(number).name());
      }
    }
    lasting(kind, apart, between(MIN_MILLIS, MAX_MILLIS));
  }

  private void perhaps(Set<String> apart, String host) {
    if (random.nextBoolean()) {
      apart.add(host);
    }
  }

  private void lasting(SoakFault kind, Set<String> apart, long millis) throws Exception {
    SwitchedNetwork network = cluster.network();
    List<String> names = new ArrayList<>(apart);
    names.sort(null);
    tally.event(kind + " for " + millis + " ms: " + names);
    long beginNanos = System.nanoTime();
    if (kind == SoakFault.CUT_ONE_WAY) {
      network.mute(names);
    } else {
      network.cut(names);
    }
    long silentNanos = System.nanoTime();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    tally.silence(silentNanos, clientsWithoutSysmgr(apart));
    network.mend();
    tally.fault(kind, names.toString(), beginNanos);
  }

  /**
   * Clients on the side of the smaller part of SysMgr. No manager there has a lease for long. No
   * answer of the other side reaches these clients.
   */
  private Set<Integer> clientsWithoutSysmgr(Set<String> apart) {
    int membersApart = 0;
    for (int member = 1; member <= cluster.members(); member++) {
      membersApart += apart.contains(cluster.sysmgr(member).name()) ? 1 : 0;
    }
    boolean majorityIsApart = membersApart > cluster.members() / 2;
    Set<Integer> without = new HashSet<>();
    for (int number = 0; number < clients; number++) {
      if (apart.contains(client(number)) != majorityIsApart) {
        without.add(number);
      }
    }
    return without;
  }
}
