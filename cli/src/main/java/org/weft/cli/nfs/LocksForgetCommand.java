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
      "Gateways are told for half a minute, and unlock what it has; `weft nfs clients` shows whether they"
          + " have: its row goes then. One that does not hear it unlocks nothing: say it again. Where no gateway has the address that it called any"
          + " more, its rows go at once. A client that lives and believes that it holds a lock does"
          + " not hear of it: be sure that it does not run."
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs locks forget 10.1.0.7        by its address: whatever calls from there",
      "  weft nfs locks forget node7           by the name that `weft nfs clients` shows, of one address alone",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {
      "host: as it was given",
      "removed: rows that are gone, as no gateway has the addresses",
      "told: rows whose gateways are told; whether they have unlocked what it has is not known yet"
    })
final class LocksForgetCommand extends NfsAction {
  @Parameters(
      index = "0",
      paramLabel = "HOST",
      description = "Its address, or how it names itself.")
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
                  + " is not recorded as having locks; gateways are told to unlock what it may have.");
    } else {
      out()
          .println(
              PrintableText.of(host)
                  + ": "
                  + done.getRemoved()
                  + " rows are gone; gateways are told to unlock what "
                  + done.getTold()
                  + " have (`weft nfs clients` shows when they have done so).");
    }
  }
}
