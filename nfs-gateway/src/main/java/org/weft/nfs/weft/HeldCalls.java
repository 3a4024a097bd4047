package org.weft.nfs.weft;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Ticker;

/**
 * Bounds how many calls of a client wait for a volume that does not answer. They share a connection
 * with calls for other volumes, and a connection has a bound of calls under way. Further calls are
 * told to ask later before anything is done for them. Thread-safe.
 */
final class HeldCalls {
  /** Less than half of what a connection may have under way. */
  static final int MAX = 48;

  /** A volume that has answered no call of a client for so long is away. */
  private static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private record Key(InetAddress client, PartitionId volume) {}

  /** When each call under way began, the oldest first; guarded by itself. */
  private static final class Held {
    private final Map<Object, Long> beganNanos = new LinkedHashMap<>();
    private boolean gone;
  }

  private final Ticker ticker;
  private final Map<Key, Held> byKey = new ConcurrentHashMap<>();

  HeldCalls(Ticker ticker) {
    this.ticker = ticker;
  }

  /** Carries a call out, unless as many wait for the volume as may. */
  <T> CompletableFuture<T> carryOut(
      InetAddress client, PartitionId volume, Supplier<CompletableFuture<T>> call) {
    Key key = new Key(client, volume);
    Object mine = new Object();
    if (!enter(key, mine)) {
      return CompletableFuture.failedFuture(
          NfsFailures.later("as many calls as may wait for volume " + volume));
    }
    return call.get().whenComplete((result, failure) -> leave(key, mine));
  }

  private boolean enter(Key key, Object mine) {
    while (true) {
      Held held = byKey.computeIfAbsent(key, each -> new Held());
      synchronized (held) {
        if (held.gone) {
          continue;
        }
        long now = ticker.nowNanos();
        boolean away =
            held.beganNanos.size() >= MAX
                && now - held.beganNanos.values().iterator().next() > AWAY_NANOS;
        if (!away) {
          held.beganNanos.put(mine, now);
        }
        return !away;
      }
    }
  }

  private void leave(Key key, Object mine) {
    Held held = byKey.get(key);
    synchronized (held) {
      held.beganNanos.remove(mine);
      if (held.beganNanos.isEmpty()) {
        held.gone = true;
        byKey.remove(key, held);
      }
    }
  }
}
