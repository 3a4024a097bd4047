package org.weft.simulator.run;

import java.util.SplittableRandom;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.WorkloadBias;

/** Runs one seed of a profile. */
public final class Seeds {
  private static final Intensity[] DRAWN = {
    Intensity.NONE,
    Intensity.PROCESSES,
    Intensity.PROCESSES,
    Intensity.NETWORK,
    Intensity.NETWORK,
    Intensity.POWER,
    Intensity.DISKS,
    Intensity.EVERYTHING,
    Intensity.EVERYTHING,
    Intensity.EVERYTHING
  };

  private Seeds() {}

  /** What goes wrong in a seed, unless the caller wishes otherwise. */
  public static Intensity intensity(long seed) {
    return DRAWN[new SplittableRandom(seed).nextInt(DRAWN.length)];
  }

  public static SeedOutcome run(
      Profile profile, long seed, Intensity faults, int mostOperations, boolean traced) {
    return switch (profile) {
      case CLUSTER -> ClusterRun.of(seed, faults, false, mostOperations, traced);
      case DATA -> ClusterRun.of(seed, faults, true, mostOperations, traced);
      case SHARED -> ClusterRun.having(WorkloadBias.SHARING, seed, faults, mostOperations, traced);
      case GATHER -> ClusterRun.gathering(seed, faults, mostOperations, traced);
      case LOG -> ClusterRun.having(WorkloadBias.LOGGING, seed, faults, mostOperations, traced);
      case APPEND ->
          ClusterRun.having(WorkloadBias.APPENDING, seed, faults, mostOperations, traced);
      case PAIRS -> ClusterRun.paired(seed, faults, mostOperations, traced);
      case LOCKS -> ClusterRun.locking(seed, faults, mostOperations, traced);
      case SETS -> ClusterRun.merged(seed, faults, mostOperations, traced);
      case ROT -> ClusterRun.rotten(seed, faults, mostOperations, traced);
      case SCRUB -> ClusterRun.scrubbed(seed, faults, mostOperations, traced);
      case REPAIR -> ClusterRun.repaired(seed, faults, mostOperations, traced);
      case HOT -> ClusterRun.hot(seed, faults, mostOperations, traced);
      case NAMES -> ClusterRun.crowded(seed, faults, mostOperations, traced);
      case LASTING -> ClusterRun.lasting(seed, faults, mostOperations, traced);
      case CACHED -> ClusterRun.cached(seed, faults, mostOperations, traced);
      case MEMBERS -> ClusterRun.voting(seed, faults, mostOperations, traced);
      case QUOTA -> ClusterRun.limited(seed, faults, mostOperations, traced);
      case NFS -> ClusterRun.mounted(seed, faults, mostOperations, traced);
      case STORE -> StoreRun.of(seed);
    };
  }
}
