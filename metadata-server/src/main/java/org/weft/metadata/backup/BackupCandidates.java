package org.weft.metadata.backup;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;

/**
 * Which manager may be a volume's backup now: one that failed it is left out for a while (P 6.2).
 * Confined to the volume's thread.
 */
final class BackupCandidates {
  static final long DISTRUST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * One that takes a copy more slowly than records come: each attempt costs both managers a whole
   * copy.
   */
  static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The target of a move is tried again sooner: there is no other. */
  static final long TARGET_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Pairing.Terms terms;
  private final WantedPrimary wanted;
  private final Supplier<ClusterTable> table;
  private final Ticker ticker;
  private final Map<Integer, Long> distrustedSince = new TreeMap<>();

  /**
   * @param wanted the target of a move, if there is one
   * @param table as last heard
   */
  BackupCandidates(
      Pairing.Terms terms, WantedPrimary wanted, Supplier<ClusterTable> table, Ticker ticker) {
    this.terms = terms;
    this.wanted = wanted;
    this.table = table;
    this.ticker = ticker;
  }

  Optional<ManagerRow> next() {
    long nowNanos = ticker.nowNanos();
    distrustedSince.values().removeIf(since -> nowNanos - since >= DISTRUST_NANOS);
    Optional<ManagerRow> target = wanted.row();
    if (target.isPresent()) {
      Long since = distrustedSince.get(target.get().getManagerId());
      return target.filter(row -> since == null || nowNanos - since >= TARGET_PAUSE_NANOS);
    }
    if (!terms.wanted()) {
      return Optional.empty();
    }
    return BackupChoice.of(table.get(), terms.manager(), Set.copyOf(distrustedSince.keySet()));
  }

  /** It failed just now. */
  void distrust(int manager) {
    distrustedSince.put(manager, ticker.nowNanos());
  }

  /** It takes a copy too slowly. */
  void isTooSlow(int manager) {
    distrustedSince.put(manager, ticker.nowNanos() + SLOW_NANOS - DISTRUST_NANOS);
  }
}
