package org.weft.simulator.run;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.simulator.check.BrokenRule;
import org.weft.simulator.workload.Intensity;
import org.weft.testkit.sim.SeedCheck;

/** One seed of the store of an OSD: beside a model, and twice with a loss of power. */
final class StoreRun {
  private static final int SHOWN_FRAMES = 12;

  private final List<BrokenRule> findings = new ArrayList<>();

  private StoreRun() {}

  static SeedOutcome of(long seed) {
    StoreRun run = new StoreRun();
    List<SeedCheck> checks =
        ServiceLoader.load(SeedCheck.class, StoreRun.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    if (checks.isEmpty()) {
      throw new IllegalStateException("the tests of osd-server are not on the class path");
    }
    checks.forEach(check -> run.check(check, seed));
    SortedMap<String, Integer> faults = new TreeMap<>();
    faults.put("power of a store", 2);
    return new SeedOutcome(
        seed, Intensity.POWER, 0, faults, run.findings, 0, 0, 0, 0, 0, List.of());
  }

  private void check(SeedCheck check, long seed) {
    try {
      check.run(seed);
    } catch (Exception | AssertionError e) {
      StringBuilder text = new StringBuilder(e.toString());
      StackTraceElement[] frames = e.getStackTrace();
      for (int shown = 0; shown < Math.min(SHOWN_FRAMES, frames.length); shown++) {
        text.append("\n    at ").append(frames[shown]);
      }
      findings.add(new BrokenRule(check.rule(), text.toString()));
    }
  }
}
