package org.weft.cli.volume;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesGroup;
import org.weft.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code weft volume}: the volumes of a cluster. */
@Command(
    name = "volume",
    description =
        "Makes, lists, moves and deletes volumes: directory trees with a manager of their own; names"
            + " files in them that have lost bytes, checks them, and recovers them from their OSDs.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      VolumeCreateCommand.class,
      VolumeListCommand.class,
      VolumeMoveCommand.class,
      VolumeDamageCommand.class,
      VolumeCheckCommand.class,
      VolumeRecoverCommand.class,
      VolumeDeleteCommand.class,
      CommandLine.HelpCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume create /archive --parity-max 3",
      "  weft volume list",
      "  weft volume move /archive manager-2",
      "  weft volume damage /archive",
      "  weft volume check /archive",
      "  weft volume recover /archive",
      "  weft volume delete /archive"
    })
public final class VolumeCommand extends FilesGroup {
  /** On any streams. */
  public VolumeCommand(Console console) {
    this(console, FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public VolumeCommand(Console console, FilesConnector connector) {
    super(console, connector);
  }
}
