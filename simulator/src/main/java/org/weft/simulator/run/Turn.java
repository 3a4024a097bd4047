package org.weft.simulator.run;

import org.weft.simulator.workload.Intensity;

/**
 * One seed to run.
 *
 * @param faults what goes wrong in it
 * @param drawn the faults follow from the seed, so that a command need not name them
 * @param operations of the seed at most
 */
record Turn(Profile profile, Intensity faults, boolean drawn, long seed, int operations) {

  SeedOutcome run(boolean traced) {
    return Seeds.run(profile, seed, faults, operations, traced);
  }

  /** The same seed with fewer operations. */
  Turn withOperations(int most) {
    return new Turn(profile, faults, drawn, seed, most);
  }

  /** The command that runs it again. */
  String replay() {
    return "it/simulate --profile "
        + profile.word()
        + (drawn ? "" : " --faults " + faults.word())
        + " --seed "
        + seed
        + (operations == Integer.MAX_VALUE ? "" : " --operations " + operations)
        + " --trace";
  }
}
