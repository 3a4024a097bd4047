package org.weft.sysmgr.balance;

import java.util.Objects;
import java.util.Optional;

/**
 * The balance of a BladeSet, in rounds. Each round is planned when the one before is over and what
 * it moved shows in the OSDs' usage (P 6.8c). Immutable; how it goes on depends on what it says and
 * on the next plan alone.
 *
 * @param number larger than that of every balance before
 * @param bandPpm it ends when no OSD is further from the mean
 * @param round number of the round, larger than those of all before; 0: none is planned yet
 * @param rounds that were planned
 * @param bestPpm the least distance of the worst OSD at the beginning of any round
 * @param idleRounds rounds in a row that did not lessen it
 * @param plan of the round
 * @param sinceMillis when it was started, to show
 * @param words why it ended; empty: it has not
 */
public record Balance(
    long number,
    State state,
    int bandPpm,
    long round,
    int rounds,
    int bestPpm,
    int idleRounds,
    BalancePlan plan,
    long sinceMillis,
    String words) {
  /** Five hundredths of each OSD's capacity. */
  public static final int DEFAULT_BAND_PPM = 50_000;

  public static final int MIN_BAND_PPM = 1;
  public static final int MAX_BAND_PPM = 500_000;

  /** By chance a round may bring little; three in a row mean that nothing more is to be had. */
  static final int MAX_IDLE_ROUNDS = 3;

  static final int MAX_ROUNDS = 100;
  private static final int MIN_GAIN_OF = 10;

  /** How it stands. */
  public enum State {
    RUNNING,
    PAUSED,
    ENDED
  }

  /** What an operator asks for. */
  public enum Action {
    START,
    PAUSE,
    RESUME,
    STOP
  }

  /** What happened to it, for the log of events. */
  public record Change(String word, String what) {
    public String sentence(String bladeSet) {
      return "The balance of BladeSet %s %s.".formatted(bladeSet, what);
    }
  }

  public Balance {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(plan, "plan");
    Objects.requireNonNull(words, "words");
  }

  /** One that has just been started. */
  public static Balance started(long number, int bandPpm, long nowMillis) {
    return new Balance(
        number,
        State.RUNNING,
        bandPpm,
        0,
        0,
        Integer.MAX_VALUE,
        0,
        BalancePlan.NONE,
        nowMillis,
        "");
  }

  /** It has not ended. */
  public boolean isUnderWay() {
    return state != State.ENDED;
  }

  public Balance paused() {
    return with(State.PAUSED, "");
  }

  public Balance resumed() {
    return with(State.RUNNING, "");
  }

  public Balance stopped() {
    return with(State.ENDED, "it was stopped");
  }

  /** The BladeSet has more OSDs than before: what earlier rounds gained is no measure any more. */
  public Balance amongMore() {
    return new Balance(
        number, state, bandPpm, round, rounds, Integer.MAX_VALUE, 0, plan, sinceMillis, words);
  }

  private Balance with(State next, String why) {
    BalancePlan left = next == State.ENDED ? BalancePlan.NONE : plan;
    return new Balance(
        number, next, bandPpm, round, rounds, bestPpm, idleRounds, left, sinceMillis, why);
  }

  /**
   * Its next round, or its end.
   *
   * @param measured now, when the last round is over
   * @param nextRound number of the next round
   */
  public Balance next(BalancePlan measured, long nextRound) {
    if (measured.spreadPpm() <= bandPpm) {
      return with(
          State.ENDED, "no OSD is further from the mean than %s points".formatted(points(bandPpm)));
    }
    boolean gained = bestPpm - measured.spreadPpm() > bestPpm / MIN_GAIN_OF;
    int idle = gained ? 0 : idleRounds + 1;
    boolean cannot = measured.leavePpm().isEmpty() || measured.comingBytes().isEmpty();
    if (cannot || idle >= MAX_IDLE_ROUNDS || rounds >= MAX_ROUNDS) {
      return with(
          State.ENDED,
          "nothing more could be moved, and the worst OSD is %s points from the mean; files may be large, few or being written, or hosts leave no choice"
              .formatted(points(measured.spreadPpm())));
    }
    return new Balance(
        number,
        state,
        bandPpm,
        nextRound,
        rounds + 1,
        Math.min(bestPpm, measured.spreadPpm()),
        idle,
        measured,
        sinceMillis,
        "");
  }

  private static String points(int ppm) {
    return "%d.%d".formatted(ppm / 10_000, ppm / 1_000 % 10);
  }

  /** What an operator should hear of, since it was like that. */
  public Optional<Change> change(Optional<Balance> before) {
    Optional<Balance> same = before.filter(each -> each.number() == number);
    if (same.isEmpty()) {
      return Optional.of(
          new Change("begun", "has begun: components move to OSDs that hold less than others"));
    }
    if (same.get().state() == state) {
      return Optional.empty();
    }
    return Optional.of(
        switch (state) {
          case PAUSED -> new Change("paused", "is paused");
          case RUNNING -> new Change("resumed", "goes on");
          case ENDED -> new Change("ended", "has ended: " + words);
        });
  }
}
