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
      "hardBytes: limit of bytes; null: there is none",
      "hardFiles: limit of files, the directory itself included; null: there is none",
      "softBytes: above it `weft status` says so; null: there is none",
      "softFiles: the same of files",
      "usedBytes: lengths of the tree's files",
      "usedFiles: files, directories and links",
      "reservedBytes: promised to files that are being written, and not written yet",
      "counting: true while the tree is being counted, and nothing is refused",
      "softBytesSinceMillis: since when it is exceeded; null: it is not",
      "softFilesSinceMillis: the same of files"
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
