package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.NfsForgetReply;
import org.weft.protocol.wire.NfsForgetRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Gives up the locks of a host that is gone for good. */
@Command(
    name = "forget",
    description = {
      "Gives up the locks of a client of NFS that is gone for good, and takes it off the list of those"
          + " that are told when a gateway starts.",
      "Gateways unlock what it has within a second; where no gateway has the address that it called any"
          + " more, its rows go at once. A client that lives and believes that it holds a lock does"
          + " not hear of it: be sure that it does not run."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs locks forget 10.1.0.7        by its address",
      "  weft nfs locks forget node7           by the name that `weft nfs clients` shows",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {
      "host: as it was given",
      "removed: rows that are gone, as no gateway has the addresses",
      "told: rows whose gateways unlock what it has"
    })
final class LocksForgetCommand extends NfsAction {
  @Parameters(index = "0", paramLabel = "HOST", description = "Its address, or how it names itself.")
  private String host;

  @Override
  void run(NfsAdmin admin) {
    NfsForgetReply done =
        admin
            .forget(
                NfsForgetRequest.newBuilder()
                    .setUser(cluster().userName())
                    .addAllGroups(cluster().groups())
                    .setHost(host)
                    .build())
            .join();
    if (json()) {
      out()
          .println(
              Json.line(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("host", host)
                      .put("removed", done.getRemoved())
                      .put("told", done.getTold())));
      return;
    }
    if (done.getRemoved() == 0 && done.getTold() == 0) {
      out()
          .println(
              PrintableText.of(host)
                  + " is not recorded as having locks; gateways unlock what it may have.");
    } else {
      out()
          .println(
              PrintableText.of(host)
                  + ": "
                  + done.getRemoved()
                  + " rows are gone, gateways unlock what "
                  + done.getTold()
                  + " have.");
    }
  }
}
