package org.weft.simulator.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.weft.simulator.base.Alarms;
import org.weft.simulator.check.BrokenRule;
import org.weft.simulator.coverage.Coverage;

/** The command {@code it/simulate}. */
public final class Simulate {
  private static final long PROGRESS_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int SHOWN_FINDINGS = 3;
  private static final Pattern CHATTER =
      Pattern.compile(" (HEARTBEAT|OSD_STATUS|GET_TABLE|RENEW_SESSION) #");

  private final SimulateOptions options;
  private final PrintStream out;
  private final SeedTally tally = new SeedTally();
  private final AtomicLong nextTurn = new AtomicLong();
  private final long startNanos = System.nanoTime();
  private long nextProgressNanos = startNanos + PROGRESS_EVERY_NANOS;

  private Simulate(SimulateOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    silence();
    System.exit(run(arguments, System.out, System.err));
  }

  /**
   * What daemons log about the harm that is done to them is of no use here: the trace has it. What
   * they log of mistakes is a violation.
   */
  public static void silence() {
    var unused = Alarms.install();
  }

  /** The exit status. */
  public static int run(String[] arguments, PrintStream out, PrintStream errors)
      throws InterruptedException, IOException {
    SimulateOptions options;
    try {
      options =
          SimulateOptions.parse(
              arguments, System.currentTimeMillis(), Runtime.getRuntime().availableProcessors());
    } catch (UsageException e) {
      errors.println("simulate: " + e.getMessage());
      return 2;
    }
    if (options.help()) {
      out.print(SimulateOptions.HELP);
      return 0;
    }
    if (options.coverage()) {
      return counted(options, arguments, out, errors);
    }
    Simulate simulate = new Simulate(options, out);
    if (options.mistakes()) {
      simulate.allListening();
    } else {
      simulate.all();
    }
    return simulate.report();
  }

  /** The same in classes that are loaded aside, to be counted. */
  private static int counted(
      SimulateOptions options, String[] arguments, PrintStream out, PrintStream errors)
      throws IOException {
    Coverage coverage = Coverage.begin(Path.of("").toAbsolutePath());
    Object[] rest =
        Arrays.stream(arguments).filter(each -> !each.equals("--coverage")).toArray(String[]::new);
    int status;
    try {
      Class<?> counted = coverage.loader().loadClass(Simulate.class.getName());
      counted.getDeclaredMethod("silence").invoke(null);
      status =
          (int)
              counted
                  .getDeclaredMethod("run", String[].class, PrintStream.class, PrintStream.class)
                  .invoke(null, rest, out, errors);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the simulator cannot be counted", e);
    }
    out.print(options.json() ? coverage.json() + "\n" : "\n" + coverage.table());
    return coverage.unreached().isEmpty() ? status : 1;
  }

  /** The machine itself records mistakes, for no seed in particular. */
  private void allListening() throws InterruptedException, IOException {
    MistakeWatch watch = new MistakeWatch();
    all();
    for (String mistake : watch.end()) {
      tally.mistake();
      if (!options.json()) {
        out.println("\nMISTAKE " + mistake);
      }
    }
  }

  private void all() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int number = 0; number < Math.min(options.threads(), options.count()); number++) {
      Thread thread = new Thread(this::work, "seeds-" + number);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** The exit status. */
  private int report() {
    out.print(
        options.json() ? tally.json(options, seconds()) + "\n" : "\n" + tally.summary(seconds()));
    return tally.isSound() ? 0 : 1;
  }

  private double seconds() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private boolean isOver() {
    return options.minutes() > 0 && seconds() > options.minutes() * 60.0
        || options.untilFound() && tally.violated() > 0;
  }

  private void work() {
    while (!isOver()) {
      long number = nextTurn.getAndIncrement();
      if (number >= options.count()) {
        return;
      }
      Turn turn = options.turn(number);
      SeedOutcome outcome = turn.run(options.trace() && !options.shrink());
      tally.add(turn, outcome);
      tell(turn, outcome);
    }
  }

  private void tell(Turn turn, SeedOutcome outcome) {
    String shrunk = options.shrink() && !outcome.findings().isEmpty() ? shrink(turn, outcome) : "";
    synchronized (out) {
      outcome.trace().forEach(out::println);
      if (!outcome.findings().isEmpty()) {
        out.print(paragraph(turn, outcome) + shrunk);
      }
      if (System.nanoTime() > nextProgressNanos && !options.json()) {
        nextProgressNanos = System.nanoTime() + PROGRESS_EVERY_NANOS;
        out.println(tally.progress(seconds()));
      }
    }
  }

  private static String paragraph(Turn turn, SeedOutcome outcome) {
    StringBuilder text =
        new StringBuilder(
            "%nVIOLATION in seed %d of profile %s, faults %s%n"
                .formatted(turn.seed(), turn.profile().word(), turn.faults().word()));
    List<BrokenRule> findings = outcome.findings();
    for (BrokenRule finding : findings.subList(0, Math.min(SHOWN_FINDINGS, findings.size()))) {
      text.append("  ").append(finding).append('\n');
    }
    if (findings.size() > SHOWN_FINDINGS) {
      text.append("  and %d more%n".formatted(findings.size() - SHOWN_FINDINGS));
    }
    return text.append("  replay: ").append(turn.replay()).append('\n').toString();
  }

  /** The fewest first operations of a seed that violate something, as far as halving finds them. */
  private String shrink(Turn turn, SeedOutcome outcome) {
    int enough = outcome.operations();
    int tooFew = 0;
    while (enough - tooFew > 1) {
      int tried = (enough + tooFew) / 2;
      if (turn.withOperations(tried).run(false).findings().isEmpty()) {
        tooFew = tried;
      } else {
        enough = tried;
      }
    }
    String found = "  with --operations " + enough + " it is violated as well\n";
    return options.trace() ? found + shrunkTrace(turn.withOperations(enough).run(true)) : found;
  }

  /** What happened, without what daemons say to each other all the time. */
  private static String shrunkTrace(SeedOutcome shrunk) {
    StringBuilder text = new StringBuilder();
    int left = 0;
    for (String line : shrunk.trace()) {
      if (CHATTER.matcher(line).find()) {
        left++;
      } else {
        text.append(line).append('\n');
      }
    }
    text.append("  (%,d lines of heartbeats and the like left out)%n".formatted(left));
    for (BrokenRule finding : shrunk.findings()) {
      text.append("  ").append(finding).append('\n');
    }
    return text.toString();
  }
}
