package org.weft.soak.process;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The common part of commands that harm a cluster for minutes. It is a seed, a directory that stays
 * after a violation, and the printed report.
 */
public final class KeptRun {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Chooses faults, victims, moments and operations (default: by the clock).")
  private Long seed;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "A new directory for data and logs, which stays in any case.")
  private Path keep;

  @Option(names = "--json", description = "Print one JSON object in place of the tables.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /** The one that was given, or one that the clock gives. */
  public long seed() {
    return seed == null ? System.currentTimeMillis() : seed;
  }

  /**
   * The directory that was given, or a temporary one.
   *
   * @param leaves a name that a run leaves in it
   * @throws CommandLine.ParameterException if an earlier run has used it
   */
  public Path directory(String prefix, String leaves) throws IOException {
    if (keep == null) {
      return Files.createTempDirectory(prefix);
    }
    if (Files.exists(keep.resolve(leaves))) {
      throw refused(keep + " holds an earlier run; give a new directory", null);
    }
    return keep;
  }

  /** Options that cannot be. */
  public CommandLine.ParameterException refused(String why, Throwable cause) {
    return new CommandLine.ParameterException(command.commandLine(), why, cause);
  }

  /**
   * Prints what a run has found, and deletes its directory unless that is to stay.
   *
   * @return the command's exit status
   */
  public int end(
      Path directory, boolean isSound, Map<String, Object> fields, Consumer<PrintStream> table)
      throws IOException {
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(fields));
    } else {
      table.accept(System.out);
    }
    if (!isSound) {
      System.err.println(command.name() + ": everything is left in " + directory);
      return 1;
    }
    if (keep == null) {
      FileTree.delete(directory);
    }
    return 0;
  }
}
