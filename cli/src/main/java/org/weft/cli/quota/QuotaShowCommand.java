package org.weft.cli.quota;

import java.io.IOException;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the quotas that a path is under. */
@Command(
    name = "show",
    description = {
      "Shows the quotas that a path is under, from the volume's down. Directories that are counted"
          + " without a limit are shown too."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft quota show /projects/a/data", "  weft quota show / --json"})
final class QuotaShowCommand extends QuotaOperation {
  @Parameters(paramLabel = "PATH", description = "A file or directory.")
  private String path;

  @Override
  protected void check() {
    path(path);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    print(session.files().quotasOver(path(path)).quotas(), "No quota is set there, nor above.");
  }
}
