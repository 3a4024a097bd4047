package org.weft.cli.quota;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesGroup;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft quota}: what directory trees may hold. */
@Command(
    name = "quota",
    description = {
      "Limits what directory trees may hold, and shows what they do hold.",
      "Bytes are the lengths of files, parity and copies not included; holes count. Files are files,"
          + " directories and links, the directory itself too."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      QuotaSetCommand.class,
      QuotaClearCommand.class,
      QuotaListCommand.class,
      QuotaShowCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft quota set /projects/a --bytes 10T --soft-bytes 9T",
      "  weft quota list",
      "  weft quota show /projects/a/data",
      "  weft quota clear /projects/a"
    })
public final class QuotaCommand extends FilesGroup {
  /** On any streams. */
  public QuotaCommand(Console console) {
    this(console, FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public QuotaCommand(Console console, FilesConnector connector) {
    super(console, connector);
  }
}
