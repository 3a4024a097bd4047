package org.weft.cli.metrics;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The differences between the clocks of nodes and SysMgr's, a figure for each node that its leader
 * hears.
 */
public final class ClockMeters {
  private static final double MILLIS_PER_SECOND = 1_000;

  private ClockMeters() {}

  /**
   * @param aheadMillis of each node by its name; empty where another member leads
   */
  public static void of(ProcessMeters meters, Supplier<? extends Map<String, Long>> aheadMillis) {
    MultiGauge gauge =
        MultiGauge.builder("weft.sysmgr.clock.ahead.seconds")
            .description("How far a node's clock is ahead of SysMgr's; negative: behind")
            .register(meters.registry());
    meters.beforeScrape(
        () -> {
          List<MultiGauge.Row<?>> rows =
              aheadMillis.get().entrySet().stream()
                  .<MultiGauge.Row<?>>map(
                      each ->
                          MultiGauge.Row.of(
                              Tags.of("node", each.getKey()), each.getValue() / MILLIS_PER_SECOND))
                  .toList();
          gauge.register(rows, true);
        });
  }
}
