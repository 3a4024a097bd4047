package org.weft.cli.quota;

import java.io.IOException;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.client.WeftQuota;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Clears the quota of a directory. */
@Command(
    name = "clear",
    description = {
      "Takes all limits off a directory's tree. What it holds goes on being counted, so that setting a"
          + " quota again takes effect at once."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft quota clear /projects/a"})
final class QuotaClearCommand extends QuotaOperation {
  @Parameters(paramLabel = "PATH", description = "A directory with a quota.")
  private String path;

  @Override
  protected void check() {
    path(path);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    WeftQuota cleared = session.files().setQuota(path(path), WeftQuota.Limits.NONE);
    if (json()) {
      console().text().println(Json.line(QuotaText.json(cleared)));
    }
  }
}
