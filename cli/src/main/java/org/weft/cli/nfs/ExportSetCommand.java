package org.weft.cli.nfs;

import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.NfsExportChange;
import picocli.CommandLine.Command;

/** Changes an export. */
@Command(
    name = "set",
    description =
        "Changes how a directory is exported; what is not named stays. Clients that have it mounted go"
            + " on, by the new rules.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs export set /projects --ro",
      "  weft nfs export set /projects --no-ro --squash all",
      "  weft nfs export set /projects --clients 10.2.0.0/16      in place of those before",
      "  weft nfs export set /projects --manage-gids               users are in more than 16 groups",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"exported: its path"})
final class ExportSetCommand extends ExportChange {
  ExportSetCommand() {
    super(NfsExportChange.SET_EXPORT);
  }
}
