package org.weft.sysmgr.configuration.nfs;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.protocol.rpc.Endpoint;

/**
 * Which hosts are to be told when a gateway of NFS starts, since they have locks (P 6.5f).
 * Immutable.
 *
 * @param lastState the largest that was given out; 0: none was
 * @param served by address, as its text
 * @param watched with the wall time since when they are
 */
public record NfsMonitor(
    int lastState, SortedMap<String, NfsServed> served, SortedMap<NfsWatched, Long> watched) {
  /** Most addresses that are remembered. */
  public static final int MAX_SERVED = 1_000;

  public static final int MAX_WATCHED = 5_000;

  /** States begin with the time, so that one that was forgotten is not given again. */
  private static final long FIRST_SECOND = 1_577_836_800;

  private static final int MILLIS = 1_000;

  public static final NfsMonitor EMPTY = new NfsMonitor(0, new TreeMap<>(), new TreeMap<>());

  public NfsMonitor {
    served = Collections.unmodifiableSortedMap(new TreeMap<>(served));
    watched = Collections.unmodifiableSortedMap(new TreeMap<>(watched));
  }

  /** The last claim of an address. */
  public Optional<NfsServed> served(Endpoint server) {
    return Optional.ofNullable(served.get(server.toString()));
  }

  public boolean isHeldBy(Endpoint server, long claim) {
    return served(server).filter(each -> each.claim() == claim).isPresent();
  }

  /**
   * For whatever a leader's clock says: a time that no state can hold does not count. Behind the
   * largest state the first one comes again: clients ask whether it is another than before.
   */
  public int nextState(long nowMillis) {
    long byTime = Math.max(0, nowMillis / MILLIS - FIRST_SECOND) | 1;
    long byCount = lastState == 0 ? 1 : lastState + 2L;
    long next = Math.max(byTime > Integer.MAX_VALUE ? 1 : byTime, byCount);
    return next > Integer.MAX_VALUE ? 1 : (int) next;
  }

  /** All addresses are to be taken again: then gateways say which clients have locks there. */
  NfsMonitor unserved() {
    return new NfsMonitor(lastState, new TreeMap<>(), watched);
  }

  /** Without those that were taken longest ago and have no clients, down to so many. */
  public static void shrink(SortedMap<String, NfsServed> served, NfsMonitor monitor, int most) {
    var used =
        monitor.watched().keySet().stream()
            .map(each -> each.server().toString())
            .collect(Collectors.toSet());
    served.entrySet().stream()
        .filter(each -> !used.contains(each.getKey()))
        .sorted(
            Map.Entry.comparingByValue(
                (one, two) -> Long.compare(one.sinceMillis(), two.sinceMillis())))
        .limit(Math.max(0, served.size() - most))
        .map(Map.Entry::getKey)
        .toList()
        .forEach(served::remove);
  }
}
