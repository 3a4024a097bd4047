package org.weft.cli.quota;

import java.io.IOException;
import java.util.List;
import org.weft.cli.files.FilesOperation;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.WeftQuota;

/** The common part of the commands on quotas: their output. */
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
abstract class QuotaOperation extends FilesOperation {
  /**
   * Prints quotas as is asked for.
   *
   * @param none a sentence for people if there are none
   */
  final void print(List<WeftQuota> quotas, String none) throws IOException {
    if (json()) {
      quotas.forEach(quota -> console().text().println(Json.line(QuotaText.json(quota))));
    } else {
      console().text().print(quotas.isEmpty() ? none + "\n" : QuotaText.table(quotas));
    }
  }
}
