package org.weft.engines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * What a job works with.
 *
 * @param home the checkout: its launcher and its pages
 * @param contacts addresses {@code host:port,...} of the cluster that the pages call {@code blue}
 * @param cluster the quickstart's data directory
 * @param scratch a directory on this machine
 * @param faults what goes wrong in the middle, if anything
 */
record Run(Path home, String contacts, Path cluster, Path scratch, Optional<Faults> faults) {
  /** How many words {@link #of} takes. */
  static final int ARGUMENTS = 5;

  /** The key that leads the pages' {@code weft://blue/} to a cluster. */
  static final String ADDRESSES = "fs.weft.cluster.blue.addresses";

  private static final int MAX_ROUNDS = 200;
  private static final long POLL_MILLIS = 100;

  /** Only a broken job reaches it. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(20);

  /** One part of the work that faults meet; each is given its number. */
  @FunctionalInterface
  interface Round {
    void run(int number) throws Exception;
  }

  /**
   * Of: checkout, contacts, data directory of the cluster, scratch directory, "faults" or "calm".
   */
  static Run of(List<String> words) throws IOException {
    Path home = Path.of(words.get(0));
    Path cluster = Path.of(words.get(2));
    Path scratch = Files.createDirectories(Path.of(words.get(3)));
    Optional<Faults> faults =
        words.get(4).equals("faults")
            ? Optional.of(new Faults(home.resolve("weft"), words.get(1), cluster))
            : Optional.empty();
    return new Run(home, words.get(1), cluster, scratch, faults);
  }

  /** The same for a process that the job starts; faults stay with the job. */
  List<String> words() {
    return List.of(home.toString(), contacts, cluster.toString(), scratch.toString(), "calm");
  }

  /** A page of the documentation, like {@code docs/engines/spark.md}. */
  Page page(String name) throws IOException {
    return Page.of(home.resolve(name));
  }

  /** Says what comes next. */
  void step(String what) {
    System.out.printf("%tT %s%n", System.currentTimeMillis(), what);
  }

  /**
   * Does rounds while an OSD is killed and the manager restarted, and one more after that; without
   * faults just so many rounds.
   *
   * @return how many rounds were done
   */
  int amid(String what, int least, Round round) throws Exception {
    step(what);
    if (faults.isEmpty()) {
      for (int number = 0; number < least; number++) {
        round.run(number);
      }
      return least;
    }
    try (Faults.Strike strike = faults.get().strike()) {
      int number = 0;
      while (number < least || !strike.isOver()) {
        require(number < MAX_ROUNDS, "the faults are not over after " + number + " rounds");
        round.run(number++);
      }
      round.run(number++);
      step(what + ": " + number + " rounds; " + strike.story());
      return number;
    }
  }

  /**
   * Looks again and again until it holds.
   *
   * @param otherwise what is wrong if it does not hold within 20 minutes
   */
  static void await(Supplier<String> otherwise, Callable<Boolean> holds) throws Exception {
    long deadlineNanos = System.nanoTime() + MAX_WAIT.toNanos();
    while (!holds.call()) {
      require(System.nanoTime() - deadlineNanos < 0, otherwise.get());
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Ends the job if something is not so. */
  static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  /** Ends the job if what was read is not what was expected. */
  static void requireEquals(Object expected, Object actual, String what) {
    require(
        Objects.equals(expected, actual),
        what + ": expected " + expected + System.lineSeparator() + "but read " + actual);
  }
}
