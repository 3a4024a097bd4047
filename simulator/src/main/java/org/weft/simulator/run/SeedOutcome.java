package org.weft.simulator.run;

import java.util.List;
import java.util.SortedMap;
import org.weft.simulator.check.BrokenRule;
import org.weft.simulator.workload.Intensity;

/**
 * What came of a seed.
 *
 * @param operations that clients asked for
 * @param faults how many, by kind
 * @param undecided 1 if a history was too long to decide about
 * @param doubted 1 if more lost power than files can bear, so that less was promised
 * @param traceHash alike whenever the seed is run
 * @param trace lines, if they were asked for
 */
public record SeedOutcome(
    long seed,
    Intensity intensity,
    int operations,
    SortedMap<String, Integer> faults,
    List<BrokenRule> findings,
    int undecided,
    int doubted,
    long virtualMillis,
    long events,
    long traceHash,
    List<String> trace) {}
