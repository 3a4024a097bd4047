package org.weft.nfs.daemon;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.weft.nfs.oncrpc.CallObserver;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.NfsClientRow;

/**
 * Hosts that called lately, for people to read. Nothing depends on it. A host that is silent for a
 * day is forgotten. Of too many, those that are silent for longest are forgotten. Thread-safe.
 */
final class SeenClients implements CallObserver {
  /** SysMgr gets no more than these. */
  static final int MAX_ROWS = 256;

  private static final int MAX = 4_096;
  private static final long FORGET_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final class Seen {
    private final LongAdder calls = new LongAdder();
    private volatile long lastNanos;
  }

  private final Ticker ticker;
  private final Map<InetAddress, Seen> byAddress = new ConcurrentHashMap<>();

  SeenClients(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public void answered(RpcCall call, long nanos, boolean refused) {
    Seen seen = byAddress.computeIfAbsent(call.client().getAddress(), address -> new Seen());
    seen.calls.increment();
    seen.lastNanos = ticker.nowNanos();
  }

  /** Those that called last first. */
  List<NfsClientRow> rows(Map<InetAddress, String> mounted) {
    long now = ticker.nowNanos();
    forget(now);
    List<NfsClientRow> rows = new ArrayList<>();
    byAddress.forEach(
        (address, seen) ->
            rows.add(
                NfsClientRow.newBuilder()
                    .setAddress(address.getHostAddress())
                    .setPath(mounted.getOrDefault(address, ""))
                    .setCalls(seen.calls.sum())
                    .setIdleMillis(TimeUnit.NANOSECONDS.toMillis(now - seen.lastNanos))
                    .build()));
    rows.sort(Comparator.comparingLong(NfsClientRow::getIdleMillis));
    return rows.subList(0, Math.min(rows.size(), MAX_ROWS));
  }

  private void forget(long now) {
    byAddress.values().removeIf(seen -> now - seen.lastNanos > FORGET_NANOS);
    int tooMany = byAddress.size() - MAX;
    if (tooMany > 0) {
      byAddress.entrySet().stream()
          .sorted(Comparator.comparingLong(each -> each.getValue().lastNanos - now))
          .limit(tooMany)
          .map(Map.Entry::getKey)
          .toList()
          .forEach(byAddress::remove);
    }
  }
}
