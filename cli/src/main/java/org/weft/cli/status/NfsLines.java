package org.weft.cli.status;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.NfsGatewayRow;

/** The lines of NFS gateways in the status. */
final class NfsLines {
  private static final long SILENT_MILLIS = 3_000;

  private NfsLines() {}

  static void print(List<NfsGatewayRow> gateways, PrintWriter out) {
    for (NfsGatewayRow gateway : gateways) {
      out.printf(
          Locale.ROOT,
          "  nfs       %s:%d  %s%s, %,d calls%n",
          PrintableText.of(gateway.getAddress().getHost()),
          gateway.getAddress().getPort(),
          gateway.getSilentMillis() > SILENT_MILLIS
              ? "SILENT for " + gateway.getSilentMillis() / 1_000 + " s"
              : "up",
          gateway.getManagerId() == 0
              ? ""
              : ", in the process of manager-" + gateway.getManagerId(),
          gateway.getCalls());
      for (String problem : gateway.getProblemsList()) {
        out.printf("            %s%n", PrintableText.of(problem));
      }
    }
  }
}
