package org.weft.cli.nfs;

import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.NfsExportChange;
import picocli.CommandLine.Command;

/** Adds an export. */
@Command(
    name = "add",
    description =
        "Exports a directory by NFS: gateways serve it a second later. What lies below it is part of"
            + " it, other volumes too.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs export add /projects --clients 10.1.0.0/16",
      "  weft nfs export add /archive --clients 10.1.0.0/16,192.168.7.9 --ro",
      "  weft nfs export add /scratch --clients 10.1.0.0/16 --squash none",
      "  weft nfs export add / --clients 127.0.0.1 --insecure",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"exported: its path"})
final class ExportAddCommand extends ExportChange {
  ExportAddCommand() {
    super(NfsExportChange.ADD_EXPORT);
  }
}
