package org.weft.it.simulation.run;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.it.simulation.check.Finding;
import org.weft.it.simulation.workload.Intensity;
import org.weft.it.simulation.workload.Outcome;
import org.weft.osd.store.engine.StoreSeeds;

/** One seed of the store of an OSD: beside a model, and twice with a loss of power. */
final class StoreRun {
  private static final int SHOWN_FRAMES = 12;

  /** Throws if the seed shows something wrong. */
  @FunctionalInterface
  private interface Part {
    void run(long seed) throws Exception;
  }

  private final List<Finding> findings = new ArrayList<>();

  private StoreRun() {}

  static Outcome of(long seed) {
    StoreRun run = new StoreRun();
    run.part("a store differs from its model", seed, StoreSeeds::model);
    run.part("a store lost what was durable", seed, StoreSeeds::powerLoss);
    run.part(
        "a pending write is neither there nor gone", seed, StoreSeeds::powerLossUnderPendingWrites);
    SortedMap<String, Integer> faults = new TreeMap<>();
    faults.put("power of a store", 2);
    return new Outcome(seed, Intensity.POWER, 0, faults, run.findings, 0, 0, 0, 0, 0, List.of());
  }

  private void part(String rule, long seed, Part part) {
    try {
      part.run(seed);
    } catch (Exception | AssertionError e) {
      StringBuilder text = new StringBuilder(e.toString());
      StackTraceElement[] frames = e.getStackTrace();
      for (int shown = 0; shown < Math.min(SHOWN_FRAMES, frames.length); shown++) {
        text.append("\n    at ").append(frames[shown]);
      }
      findings.add(new Finding(rule, text.toString()));
    }
  }
}
