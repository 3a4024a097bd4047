package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.NfsLockRow;
import picocli.CommandLine.Command;

/** Lists the locks of clients of the gateways. */
@Command(
    name = "locks",
    description = {
      "Lists what clients of NFS have locked or wait for, up to 1,000 locks of each gateway.",
      "`weft lock list FILE` shows all locks on a file, also those that are kept for clients of a"
          + " gateway that is gone."
    },
    sortOptions = false,
    subcommands = LocksForgetCommand.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs locks",
      "  weft nfs locks --json",
      "  weft nfs locks forget 10.1.0.7        a client that is gone for good"
    })
@JsonFields(
    shape = "one object",
    value = {
      "complete: each gateway has told all of its locks",
      "locks: an array",
      "locks.gateway: address of the gateway",
      "locks.client: address of the client",
      "locks.name: how the client names itself",
      "locks.process: the client's number for the process",
      "locks.volume: where the volume is in the tree",
      "locks.object: the file's number in the volume",
      "locks.from: the first byte",
      "locks.to: behind the last byte; null: to the end",
      "locks.exclusive: else it is shared",
      "locks.waiting: it is not held",
      "locks.opened: of a share reservation, what its owner opened the file for; else null",
      "locks.denied: of a share reservation, what its owner denies to others; else null",
      "locks.sinceMillis: when its owner began to wait, or to hold something of the file"
    })
public final class LocksCommand extends NfsAction {
  private static final String ROW = "%-22s %-22s %10s  %-10s %-8s %-20s  %s%n";
  private static final Duration MAX_WAIT = Duration.ofSeconds(4);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long SILENT_MILLIS = 3_000;

  @Override
  void run(NfsAdmin admin) throws IOException {
    GetNfsReply known = ask(admin);
    if (json()) {
      out().println(Json.line(json(known)));
      return;
    }
    out().printf(ROW, "Gateway", "Client", "Process", "Mode", "State", "Since", "What");
    for (NfsGatewayRow gateway : known.getGatewaysList()) {
      gateway.getLocksList().forEach(lock -> print(gateway, lock));
      if (!isComplete(gateway)) {
        out()
            .println(
                "gateway "
                    + ExportListCommand.address(gateway)
                    + (gateway.getLocksTold()
                        ? ": " + gateway.getLocksTotal() + " locks in all"
                        : " has not told of its locks: it is not heard, or of an older release"));
      }
    }
  }

  /** Waits until each living gateway has sent its locks; they report twice a second. */
  private static GetNfsReply ask(NfsAdmin admin) throws IOException {
    PolledWait wait = PolledWait.every(POLL).atMost(MAX_WAIT);
    GetNfsReply known = admin.showLocks().join();
    while (known.getGatewaysList().stream()
            .anyMatch(each -> !each.getLocksTold() && each.getSilentMillis() < SILENT_MILLIS)
        && wait.pause()) {
      known = admin.showLocks().join();
    }
    return known;
  }

  private static boolean isComplete(NfsGatewayRow gateway) {
    return gateway.getLocksTold() && gateway.getLocksTotal() == gateway.getLocksCount();
  }

  private void print(NfsGatewayRow gateway, NfsLockRow lock) {
    out()
        .printf(
            Locale.ROOT,
            ROW,
            ExportListCommand.address(gateway),
            PrintableText.of(lock.getClient()),
            Integer.toUnsignedString(lock.getProcess()) + "@" + PrintableText.of(lock.getName()),
            isReservation(lock) ? "open" : lock.getExclusive() ? "exclusive" : "shared",
            lock.getWaiting() ? "waiting" : "held",
            Instant.ofEpochMilli(lock.getSinceMillis()).truncatedTo(ChronoUnit.SECONDS),
            what(lock)
                + " of file "
                + Long.toUnsignedString(lock.getObjectId())
                + " in "
                + PrintableText.of(lock.getVolume()));
  }

  private static boolean isReservation(NfsLockRow lock) {
    return lock.getOpened() != 0 || lock.getDenied() != 0;
  }

  private static String what(NfsLockRow lock) {
    if (isReservation(lock)) {
      return "reservation (own "
          + ways(lock.getOpened())
          + ", deny "
          + ways(lock.getDenied())
          + ")";
    }
    return "bytes "
        + lock.getFrom()
        + (lock.getTo() == 0 ? " to the end" : " to " + (lock.getTo() - 1));
  }

  /** Bit 0 reading, bit 1 writing. */
  private static String ways(int bits) {
    return switch (bits) {
      case 0 -> "none";
      case 1 -> "read";
      case 2 -> "write";
      default -> "read and write";
    };
  }

  private static ObjectNode json(GetNfsReply known) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    all.put("complete", known.getGatewaysList().stream().allMatch(LocksCommand::isComplete));
    ArrayNode locks = all.putArray("locks");
    for (NfsGatewayRow gateway : known.getGatewaysList()) {
      for (NfsLockRow lock : gateway.getLocksList()) {
        ObjectNode node =
            locks
                .addObject()
                .put("gateway", ExportListCommand.address(gateway))
                .put("client", lock.getClient())
                .put("name", lock.getName())
                .put("process", Integer.toUnsignedLong(lock.getProcess()))
                .put("volume", lock.getVolume())
                .put("object", lock.getObjectId())
                .put("from", lock.getFrom());
        if (lock.getTo() == 0) {
          node.putNull("to");
        } else {
          node.put("to", lock.getTo());
        }
        node.put("exclusive", lock.getExclusive())
            .put("waiting", lock.getWaiting())
            .put("opened", isReservation(lock) ? ways(lock.getOpened()) : null)
            .put("denied", isReservation(lock) ? ways(lock.getDenied()) : null)
            .put("sinceMillis", lock.getSinceMillis());
      }
    }
    return all;
  }
}
