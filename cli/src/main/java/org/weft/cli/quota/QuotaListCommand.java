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

/** Shows all quotas of a volume. */
@Command(
    name = "list",
    description = {"Shows all quotas of a volume, to the superuser."},
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft quota list", "  weft quota list /archive --json"})
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
final class QuotaListCommand extends FilesOperation {
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
    List<WeftQuota> quotas = session.files().quotas(path(path)).quotas();
    if (json()) {
      quotas.forEach(quota -> console().text().println(Json.line(QuotaText.json(quota))));
    } else {
      console()
          .text()
          .print(
              quotas.isEmpty()
                  ? "The volume has no quotas; `weft quota set` sets one.\n"
                  : QuotaText.table(quotas));
    }
  }
}
