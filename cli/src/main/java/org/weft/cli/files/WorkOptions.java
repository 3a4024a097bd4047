package org.weft.cli.files;

import java.util.Locale;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.Console;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of commands that work on several files at a time and show how far they are. Mix in. */
public final class WorkOptions {
  static final int DEFAULT_THREADS = 8;
  private static final int MAX_THREADS = 64;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Option(
      names = {"-j", "--threads"},
      paramLabel = "N",
      defaultValue = "" + DEFAULT_THREADS,
      description = "Files under way at a time (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--progress",
      description = "Show progress on standard error where that is no terminal, too.")
  private boolean asked;

  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean unwanted;

  /** Refuses numbers that cannot be. */
  public void check() {
    if (threads < 1 || threads > MAX_THREADS) {
      throw new ParameterException(
          mixee.commandLine(),
          "weft: "
              + mixee.name()
              + ": --threads: expected 1 to "
              + MAX_THREADS
              + ", got "
              + threads);
    }
  }

  /** Threads for the session's work; the caller closes them. */
  public WorkPool pool(FilesSession session, Failures failures) {
    return new WorkPool(session.scheduler(), threads, failures);
  }

  /** True if a user will see the progress. */
  public boolean visible(Console console) {
    return style(console) != Progress.Style.HIDDEN;
  }

  private Progress.Style style(Console console) {
    return unwanted ? Progress.Style.HIDDEN : Progress.styleFor(console, asked);
  }

  /** The line that shows how far it is; failures are printed above it. */
  public Progress progress(FilesSession session, Console console, Failures failures, String label) {
    Progress progress =
        new Progress(console.err(), style(console), console.columns(), session.ticker(), label);
    failures.through(progress);
    return progress;
  }

  /** "1 file", "1,234 files". */
  public static String count(long number, String one) {
    return String.format(
        Locale.ROOT, "%s %s%s", ByteText.grouped(number), one, number == 1 ? "" : "s");
  }
}
