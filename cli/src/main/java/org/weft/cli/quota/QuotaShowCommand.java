package org.weft.cli.quota;

import java.io.IOException;
import java.util.List;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.files.FilesSession;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftQuota;
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
final class QuotaShowCommand extends FilesOperation {
  @Parameters(paramLabel = "PATH", description = "A file or directory.")
  private String path;

  @Override
  protected void check() {
    path(path);
  }

  @Override
  protected void run(FilesSession session, Failures failures) throws IOException {
    List<WeftQuota> quotas = session.files().quotasOver(path(path)).quotas();
    if (json()) {
      quotas.forEach(quota -> console().text().println(Json.line(QuotaText.json(quota))));
    } else {
      console()
          .text()
          .print(
              quotas.isEmpty() ? "No quota is set there, nor above.\n" : QuotaText.table(quotas));
    }
  }
}
