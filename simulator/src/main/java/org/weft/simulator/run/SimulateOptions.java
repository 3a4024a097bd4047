package org.weft.simulator.run;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import org.weft.simulator.workload.Intensity;

/**
 * What {@code it/simulate} was asked for.
 *
 * @param faults empty: drawn from each seed
 * @param firstSeed and the last one, both run
 * @param turns all profiles and kinds of faults in turn, each with the seeds from the first on
 * @param minutes 0: all seeds; else until they are over
 * @param operations of a seed at most, to find out which is too many
 * @param trace print the trace of each seed
 * @param untilFound begin no seed after one that shows something wrong
 * @param coverage count how often rules are kept
 * @param mistakes record mistakes that no log shows
 */
record SimulateOptions(
    Profile profile,
    Optional<Intensity> faults,
    boolean turns,
    long firstSeed,
    long lastSeed,
    int minutes,
    int operations,
    int threads,
    boolean trace,
    boolean json,
    boolean shrink,
    boolean untilFound,
    boolean coverage,
    boolean mistakes,
    boolean help) {

  static final String HELP =
      """
      Runs Weft in simulated worlds: client, manager, OSD and SysMgr in one thread on virtual time,
      all chance drawn from a seed. What clients were told is checked against models and histories.

        it/simulate [OPTIONS]

        --profile P      what is simulated (default cluster):
      %s  --faults F       what goes wrong: %s
                         (default: drawn from each seed)
        --turns          all profiles and kinds of faults in turn; a third of the seeds lose power
        --seed N         one seed
        --seeds A..B     seeds from A to B
        --minutes M      seed after seed for M minutes, from --seed on (default: a new one each time)
        --operations N   no more than N operations of each seed, to find the one that matters
        --shrink         look for the least --operations that still violate something; with --trace
                         print what happened then, without heartbeats and the like
        --until-found    end with the first seed that violates something
        --threads T      seeds at a time (default: processors)
        --mistakes       look also for mistakes of the program that end unheard; slower
        --coverage       count how often the code that keeps each rule of docs/protocols.md decided
                         something; exit status 1 if a rule is at zero
        --trace          print what happened, event by event
        --json           print the summary as JSON
        --help           this text

      Exit status: 0 if nothing was violated, 1 if something was, 2 if the options are wrong.

      Examples
        it/simulate --seeds 1..200                        two hundred seeds of the cluster
        it/simulate --profile store --minutes 5           the store of an OSD, for five minutes
        it/simulate --faults power --seeds 1..50          power losses only
        it/simulate --seed 4711 --trace                   one seed again, with everything that happened
        it/simulate --turns --seeds 1..27 --coverage      how often each rule is kept
        it/simulate --turns --minutes 30                  new seeds of everything, for half an hour
      """
          .formatted(profiles(), String.join(", ", Intensity.words()));

  private static String profiles() {
    StringBuilder text = new StringBuilder();
    for (Profile profile : Profile.values()) {
      text.append("                     %-8s %s%n".formatted(profile.word(), profile.meaning()));
    }
    return text.toString();
  }

  /**
   * Reads a command line.
   *
   * @param newSeed where to begin if nothing says
   */
  static SimulateOptions parse(String[] arguments, long newSeed, int processors) {
    Deque<String> left = new ArrayDeque<>(Arrays.asList(arguments));
    Profile profile = Profile.CLUSTER;
    Optional<Intensity> faults = Optional.empty();
    boolean turns = false;
    boolean profileGiven = false;
    long[] seeds = null;
    int minutes = 0;
    int operations = Integer.MAX_VALUE;
    int threads = processors;
    boolean trace = false;
    boolean json = false;
    boolean shrink = false;
    boolean untilFound = false;
    boolean coverage = false;
    boolean mistakes = false;
    boolean help = false;
    while (!left.isEmpty()) {
      String option = left.removeFirst();
      switch (option) {
        case "--profile" -> {
          profile = Profile.of(value(option, left));
          profileGiven = true;
        }
        case "--turns" -> turns = true;
        case "--faults" -> faults = Optional.of(intensity(value(option, left)));
        case "--seed" -> {
          long seed = number(option, value(option, left));
          seeds = new long[] {seed, seed};
        }
        case "--seeds" -> seeds = range(value(option, left));
        case "--minutes" -> minutes = count(option, value(option, left));
        case "--operations" -> operations = count(option, value(option, left));
        case "--threads" -> threads = count(option, value(option, left));
        case "--trace" -> trace = true;
        case "--json" -> json = true;
        case "--shrink" -> shrink = true;
        case "--coverage" -> coverage = true;
        case "--mistakes" -> mistakes = true;
        case "--until-found" -> untilFound = true;
        case "--help", "-h" -> help = true;
        default -> throw new UsageException("no option '" + option + "'; see --help");
      }
    }
    if (turns && (profileGiven || faults.isPresent())) {
      throw new UsageException("--turns takes every profile and every kind of faults by itself");
    }
    if (seeds == null) {
      seeds = minutes > 0 ? new long[] {newSeed, newSeed} : new long[] {1, 100};
    }
    long last = minutes > 0 && seeds[0] == seeds[1] ? Long.MAX_VALUE : seeds[1];
    return new SimulateOptions(
        profile,
        faults,
        turns,
        seeds[0],
        last,
        minutes,
        operations,
        threads,
        trace,
        json,
        shrink,
        untilFound,
        coverage,
        mistakes,
        help);
  }

  private static String value(String option, Deque<String> left) {
    if (left.isEmpty()) {
      throw new UsageException(option + " needs a value; see --help");
    }
    return left.removeFirst();
  }

  private static Intensity intensity(String word) {
    return Arrays.stream(Intensity.values())
        .filter(intensity -> intensity.word().equals(word))
        .findFirst()
        .orElseThrow(
            () -> new UsageException("no faults '" + word + "'; there are " + Intensity.words()));
  }

  private static long number(String option, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UsageException(option + " needs a number, got '" + text + "'");
    }
  }

  private static int count(String option, String text) {
    long count = number(option, text);
    if (count < 1 || count > Integer.MAX_VALUE) {
      throw new UsageException(option + " needs a number from 1 on, got '" + text + "'");
    }
    return (int) count;
  }

  private static long[] range(String text) {
    int dots = text.indexOf("..");
    if (dots < 0) {
      throw new UsageException("--seeds needs a range like 1..200, got '" + text + "'");
    }
    long first = number("--seeds", text.substring(0, dots));
    long last = number("--seeds", text.substring(dots + 2));
    if (last < first) {
      throw new UsageException("--seeds needs a range like 1..200, got '" + text + "'");
    }
    return new long[] {first, last};
  }

  /** How many seeds are to be run. */
  long count() {
    long seeds = lastSeed == Long.MAX_VALUE ? Long.MAX_VALUE : lastSeed - firstSeed + 1;
    int times = turns ? Profile.values().length : 1;
    return seeds > Long.MAX_VALUE / times ? Long.MAX_VALUE : seeds * times;
  }

  /**
   * One of them.
   *
   * @param number 0 for the first
   */
  Turn turn(long number) {
    if (turns) {
      return TurnOrder.turn(firstSeed, number, operations);
    }
    long seed = firstSeed + number;
    Intensity wanted = faults.orElseGet(() -> Seeds.intensity(seed));
    return new Turn(profile, wanted, faults.isEmpty(), seed, operations);
  }

  /** The common description of the seeds, for a report. */
  String word() {
    return turns ? "turns" : profile.word();
  }
}
