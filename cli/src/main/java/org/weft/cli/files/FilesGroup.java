package org.weft.cli.files;

import java.util.function.Supplier;
import org.weft.cli.output.Console;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing but hold the file operations below it. */
public abstract class FilesGroup implements Runnable, FilesHost {
  private final Console console;
  private final FilesConnector connector;
  private final Supplier<String> choices;

  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and ends.")
  private boolean help;

  /**
   * @param choices the commands below it, for a user that names none
   */
  protected FilesGroup(Console console, FilesConnector connector, Supplier<String> choices) {
    this.console = console;
    this.connector = connector;
    this.choices = choices;
  }

  @Override
  public final Console console() {
    return console;
  }

  @Override
  public final FilesConnector connector() {
    return connector;
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(), "weft " + spec.name() + ": which command? " + choices.get());
  }
}
