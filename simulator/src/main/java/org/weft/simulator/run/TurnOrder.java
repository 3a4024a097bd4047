package org.weft.simulator.run;

import java.util.List;
import org.weft.simulator.workload.Intensity;

/** All profiles with all kinds of faults, one after another; every third round loses power. */
final class TurnOrder {
  private static final List<Intensity> ROUNDS =
      List.of(
          Intensity.POWER,
          Intensity.EVERYTHING,
          Intensity.PROCESSES,
          Intensity.POWER,
          Intensity.NETWORK,
          Intensity.DISKS,
          Intensity.POWER,
          Intensity.EVERYTHING,
          Intensity.NONE);

  private TurnOrder() {}

  /**
   * The seeds of one round are the same number, of another round another one.
   *
   * @param firstSeed of the first round
   * @param number 0 for the first turn of the first round
   */
  static Turn turn(long firstSeed, long number, int operations) {
    Profile[] profiles = Profile.values();
    long round = number / profiles.length;
    Intensity faults = ROUNDS.get((int) (round % ROUNDS.size()));
    Profile profile = profiles[(int) (number % profiles.length)];
    return new Turn(profile, faults, false, firstSeed + round, operations);
  }
}
