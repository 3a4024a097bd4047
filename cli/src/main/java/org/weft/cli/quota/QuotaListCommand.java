package org.weft.cli.quota;

import java.io.IOException;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows all quotas of a volume. */
@Command(
    name = "list",
    description = {"Shows all quotas of a volume, to the superuser."},
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft quota list", "  weft quota list /archive --json"})
final class QuotaListCommand extends QuotaOperation {
  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "A volume, or a path in it; the root volume if it is left out.")
  private String path;

  @Override
  protected void check() {
    path(path);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    // A path that is not there would be answered by the volume above it.
    var unused = require(session.files(), path(path));
    print(
        session.files().quotas(path(path)).quotas(),
        "The volume has no quotas; `weft quota set` sets one.");
  }
}
