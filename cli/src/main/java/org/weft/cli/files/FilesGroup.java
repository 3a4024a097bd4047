package org.weft.cli.files;

import org.weft.cli.output.CommandGroup;
import org.weft.cli.output.Console;

/** A command that does nothing but hold the file operations below it. */
public abstract class FilesGroup extends CommandGroup implements FilesHost {
  private final Console console;
  private final FilesConnector connector;

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
  }

  @Override
  public final Console console() {
    return console;
  }

  @Override
  public final FilesConnector connector() {
    return connector;
  }
}
