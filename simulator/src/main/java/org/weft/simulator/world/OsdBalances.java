package org.weft.simulator.world;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.protocol.wire.BalanceAction;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.node.ClusterPlace;
import org.weft.sysmgr.balance.Balance;

/** Operators that have OSDs balanced, let that rest, go on and end (P 6.8c). */
public final class OsdBalances {
  /** A thousandth: a few of the small files of these worlds are more. */
  private static final int BAND_PPM = 1_000;

  private static final String BLADE_SET = "default";

  private final OperatorView cluster;
  private final SimContext setting;
  private final ClusterPlace place;
  private final RandomGenerator random;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  OsdBalances(OperatorView cluster, SimContext setting, ClusterPlace place) {
    this.cluster = cluster;
    this.setting = setting;
    this.place = place;
    this.random = setting.random("balances");
  }

  /** The last one, as far as SysMgr's leader knows. */
  public Optional<Balance> last() {
    return cluster.configuration().stream()
        .flatMap(known -> known.history().placement().balance(BLADE_SET).stream())
        .findFirst();
  }

  /** An operator asks for that; completes when it is recorded. */
  public CompletableFuture<Void> ask(BalanceAction action, int bandPpm) {
    setting.trace().note("operator", () -> "asks for " + action);
    return new Operator(setting, place, random.nextLong()).balance(BLADE_SET, action, bandPpm);
  }

  /** Nothing new moves once this is done, whatever was asked for before. */
  public CompletableFuture<Void> stop() {
    return last.handle((done, refused) -> null)
        .thenCompose(
            x ->
                last().filter(Balance::isUnderWay).isPresent()
                    ? ask(BalanceAction.BALANCE_STOP, BAND_PPM)
                    : CompletableFuture.completedFuture(null));
  }

  /** Most often it is started, if there is none; what is refused changes nothing. */
  public void any() {
    if (!last.isDone()) {
      return;
    }
    BalanceAction action =
        switch (random.nextInt(10)) {
          case 0 -> BalanceAction.BALANCE_PAUSE;
          case 1, 2, 3 -> BalanceAction.BALANCE_STOP;
          case 4 -> BalanceAction.BALANCE_RESUME;
          default -> BalanceAction.BALANCE_START;
        };
    last = ask(action, BAND_PPM);
  }
}
