package org.weft.bench.load;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What readers did about units that were late (hedged reads).
 *
 * @param started units that were rebuilt from others instead of waited for
 * @param won the others came first
 * @param dropped units that were waited for all the same, since the budget was spent
 */
public record LateUnits(long started, long won, long dropped) {
  /** Also of a file system that has no such thing. */
  public static final LateUnits NONE = new LateUnits(0, 0, 0);

  LateUnits plus(LateUnits other) {
    return new LateUnits(started + other.started, won + other.won, dropped + other.dropped);
  }

  LateUnits minus(LateUnits other) {
    return new LateUnits(started - other.started, won - other.won, dropped - other.dropped);
  }

  /** Of all these clients until now. */
  static LateUnits of(Collection<BenchFiles> clients) {
    return clients.stream().map(BenchFiles::lateUnits).reduce(NONE, LateUnits::plus);
  }

  Map<String, Long> toMap() {
    Map<String, Long> map = new LinkedHashMap<>();
    map.put("started", started);
    map.put("won", won);
    map.put("dropped", dropped);
    return map;
  }

  @Override
  public String toString() {
    return "hedges %d started, %d won, %d dropped".formatted(started, won, dropped);
  }
}
