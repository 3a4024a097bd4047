package org.weft.cli.lock;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesGroup;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft lock}: byte-range locks. */
@Command(
    name = "lock",
    description = "Shows the byte-range locks on a file, and their owners.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LockListCommand.class, CommandLine.HelpCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {"  weft lock list /data/journal"})
public final class LockCommand extends FilesGroup {
  /** On any streams. */
  public LockCommand(Console console) {
    this(console, FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public LockCommand(Console console, FilesConnector connector) {
    super(console, connector);
  }
}
