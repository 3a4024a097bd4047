package org.weft.metadata.backup;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;

/**
 * Knows which managers may be a volume's backup now (P 6.2). A manager that failed the volume is
 * left out for a while. Confined to the volume's thread.
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

  /** A backup that SysMgr calls down for so long is left: it could not be promoted. */
  static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Pairing.Terms terms;
  private final WantedPrimary wanted;
  private final KnownManagers known;
  private final Ticker ticker;
  private final Map<Integer, Long> distrustedSince = new TreeMap<>();

  /** Since when SysMgr calls the backup down that was asked for last; empty: it is not down. */
  private Optional<Long> downSinceNanos = Optional.empty();

  /**
   * @param wanted the target of a move, if there is one
   */
  BackupCandidates(Pairing.Terms terms, WantedPrimary wanted, KnownManagers known, Ticker ticker) {
    this.terms = terms;
    this.wanted = wanted;
    this.known = known;
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
    return BackupChoice.of(
        known.table().get(),
        terms.manager(),
        Set.copyOf(distrustedSince.keySet()),
        known.cutOff().get());
  }

  /** It failed just now. */
  void distrust(int manager) {
    distrustedSince.put(manager, ticker.nowNanos());
  }

  /** It takes a copy too slowly. */
  void isTooSlow(int manager) {
    distrustedSince.put(manager, ticker.nowNanos() + SLOW_NANOS - DISTRUST_NANOS);
  }

  /**
   * SysMgr calls the backup down for long, though it answers here. To be asked again and again of
   * the same one.
   */
  boolean isGone(int backup) {
    boolean isDown =
        known.table().get().getManagersList().stream()
            .anyMatch(row -> row.getManagerId() == backup && row.getState() == NodeState.DOWN);
    long nowNanos = ticker.nowNanos();
    downSinceNanos = isDown ? downSinceNanos.or(() -> Optional.of(nowNanos)) : Optional.empty();
    return downSinceNanos.filter(since -> nowNanos - since >= GONE_NANOS).isPresent();
  }
}
