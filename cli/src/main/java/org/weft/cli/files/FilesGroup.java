package org.weft.cli.files;

import org.weft.cli.output.CommandGroup;
import org.weft.cli.output.Console;

/** A command that only groups the file operations below it. */
public abstract class FilesGroup extends CommandGroup implements FilesHost {
  private final Console console;
  private final FilesConnector connector;

  protected FilesGroup(Console console, FilesConnector connector) {
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
