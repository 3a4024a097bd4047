package org.weft.cli.quota;

import java.io.IOException;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
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
@JsonFields(
    shape = "an object for each quota",
    value = {
      "path: the directory",
      "hardBytes, hardFiles, softBytes, softFiles: limits; null: there is none",
      "usedBytes, usedFiles: what the tree holds",
      "reservedBytes: promised to files that are being written, and not written yet",
      "counting: true while the tree is being counted, and nothing is refused",
      "softBytesSinceMillis, softFilesSinceMillis: since when a soft limit is exceeded; null: it is"
          + " not"
    })
final class QuotaClearCommand extends FilesOperation {
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
