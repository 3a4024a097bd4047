package org.weft.simulator.world;

import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.node.SimulatedOsd;

/**
 * Operators that add OSDs, in every second world a few, whatever else goes on: drains, rebuilds,
 * balances (P 4.1).
 */
public final class OsdAdditions {
  private static final int MAX = 3;
  private static final int ONE_OF = 6;

  /** What remains of a seed modulo sixteen. No seed lies there that was kept before. */
  private static final List<Integer> GROWING = List.of(0, 2, 3, 6, 7, 11, 12, 13);

  private final Supplier<SimulatedOsd> adding;
  private final SimContext setting;
  private final RandomGenerator random;
  private final int most;
  private int added;

  /**
   * Additions to one world.
   *
   * @param adding starts one OSD more, on a machine of its own
   */
  OsdAdditions(Supplier<SimulatedOsd> adding, SimContext setting) {
    this.adding = adding;
    this.setting = setting;
    this.random = setting.random("additions");
    boolean isGrowing = GROWING.contains((int) Math.floorMod(setting.options().seed(), 16L));
    this.most = isGrowing ? 1 + random.nextInt(MAX) : 0;
  }

  /** How many were added. */
  public int count() {
    return added;
  }

  /** To be called now and then: mostly it does nothing. */
  public void any() {
    if (added < most && random.nextInt(ONE_OF) == 0) {
      added++;
      SimulatedOsd osd = adding.get();
      setting.trace().note("operator", () -> "adds " + osd.name());
    }
  }
}
