package org.weft.cli.fs;

import org.weft.cli.files.FilesConnector;
import org.weft.cli.files.FilesGroup;
import org.weft.cli.output.Console;
import picocli.CommandLine.Command;

/** {@code weft fs}: the file commands; {@link FsCommands} mounts them. */
@Command(
    name = "fs",
    description = "Works with the files of a cluster.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs put report.pdf /tmp/        copy a file in",
      "  weft fs put photos /tmp             copy a tree in, as /tmp/photos",
      "  weft fs ls -R /tmp                  what is there",
      "  weft fs du -s -h '/tmp/*'           how large it is",
      "  weft fs get /tmp/photos .           copy it out again",
      "  weft fs rm -r /tmp/photos           remove it",
      "",
      "Paths in the cluster begin with '/'; quoted patterns (* ? [a-z] {a,b}) are",
      "matched there. `weft fs COMMAND --help` explains a command."
    })
public final class FsCommand extends FilesGroup {
  /** On any streams. */
  public FsCommand(Console console) {
    this(console, FilesConnector::real);
  }

  /** On any streams and files, for tests. */
  public FsCommand(Console console, FilesConnector connector) {
    super(console, connector);
  }

  /** Not all of them are mounted. */
  @Override
  protected String choices() {
    return String.join(", ", FsCommands.names());
  }
}
