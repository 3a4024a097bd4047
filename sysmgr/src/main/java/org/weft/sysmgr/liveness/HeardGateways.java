package org.weft.sysmgr.liveness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * NFS gateways as they told of themselves lately. The leader's alone, and gone with it: a gateway
 * says it anew twice a second. Single-threaded.
 *
 * @param <T> what a gateway tells
 */
public final class HeardGateways<T> {
  /** One that was silent for so long is not shown any more. */
  public static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MAX = 256;

  /** What a gateway told, and when. */
  public record Heard<T>(String name, T told, long atNanos) {}

  private final Map<String, Heard<T>> byName = new TreeMap<>();

  /** It told this; of too many the one that is silent for longest is forgotten. */
  public void heard(String name, T told, long nowNanos) {
    forget(nowNanos);
    byName.put(name, new Heard<>(name, told, nowNanos));
    if (byName.size() > MAX) {
      byName.values().stream()
          .min((one, two) -> Long.compare(one.atNanos() - nowNanos, two.atNanos() - nowNanos))
          .ifPresent(oldest -> byName.remove(oldest.name()));
    }
  }

  /** It said that it stops. */
  public void left(String name) {
    byName.remove(name);
  }

  /** By name. */
  public List<Heard<T>> all(long nowNanos) {
    forget(nowNanos);
    return new ArrayList<>(byName.values());
  }

  private void forget(long nowNanos) {
    byName.values().removeIf(each -> nowNanos - each.atNanos() > FORGET_NANOS);
  }
}
