package org.weft.cli.balance;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Locale;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.BalanceOsd;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.GetBalanceReply;

/** A balance as people and programs read it. */
final class BalanceText {
  private static final double PPM_OF_POINT = 10_000;
  private static final int SECONDS_OF_MINUTE = 60;

  private final String bladeSet;
  private final GetBalanceReply reply;

  BalanceText(String bladeSet, GetBalanceReply reply) {
    this.bladeSet = bladeSet;
    this.reply = reply;
  }

  private long secondsLeft() {
    long rate = reply.getBytesPerSecond();
    return rate <= 0 ? -1 : (reply.getBytesToMove() + rate - 1) / rate;
  }

  private static double points(long ppm) {
    return ppm / PPM_OF_POINT;
  }

  static String state(BalanceRow row) {
    return switch (row.getState()) {
      case BALANCE_RUNNING -> "running";
      case BALANCE_PAUSED -> "paused";
      case BALANCE_ENDED -> "ended";
      case BALANCE_STATE_UNSPECIFIED, UNRECOGNIZED -> "none";
    };
  }

  void printPlan(PrintWriter out) {
    printMean(out);
    out.printf(
        Locale.ROOT,
        "  %-8s %10s %7s %10s  %-22s %s%n",
        "OSD",
        "used",
        "share",
        "target",
        "to leave",
        "to come");
    for (BalanceOsd osd : reply.getOsdsList()) {
      if (osd.getApart().isEmpty()) {
        out.printf(
            Locale.ROOT,
            "  osd-%-4d %10s %6.1f%% %10s  %-22s %s%n",
            osd.getOsdId(),
            ByteText.of(osd.getUsedBytes()),
            points(osd.getSharePpm()),
            ByteText.of(osd.getTargetBytes()),
            pieces(osd.getLeaveBytes(), osd.getLeaveComponents()),
            pieces(osd.getComeBytes(), osd.getComeComponents()));
      } else {
        out.printf(
            "  osd-%-4d has no part in it: %s%n", osd.getOsdId(), PrintableText.of(osd.getApart()));
      }
    }
    if (reply.getBytesToMove() == 0) {
      out.println("All OSDs are within the band: nothing would move.");
    } else {
      out.printf(
          "About %s would move%s. Nothing moves by this; `weft balance` starts it.%n",
          ByteText.of(reply.getBytesToMove()), howLong());
    }
    printWaits(out);
  }

  private String howLong() {
    long seconds = secondsLeft();
    return seconds < 0
        ? "; how long that takes is known once it runs"
        : String.format(
            Locale.ROOT,
            ", in %d min %d s at the present %s/s",
            seconds / SECONDS_OF_MINUTE,
            seconds % SECONDS_OF_MINUTE,
            ByteText.of(reply.getBytesPerSecond()));
  }

  private static String pieces(long bytes, long components) {
    return bytes == 0 ? "-" : ByteText.of(bytes) + " (about " + ByteText.grouped(components) + ")";
  }

  private void printMean(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "BladeSet %s: OSDs are %.1f%% full on the mean; the worst is %.1f points from it, %.1f are allowed.%n",
        PrintableText.of(bladeSet),
        points(reply.getMeanPpm()),
        points(reply.getSpreadPpm()),
        points(reply.getBandPpm()));
  }

  void printStatus(PrintWriter out) {
    BalanceRow row = reply.getBalance();
    switch (row.getState()) {
      case BALANCE_RUNNING, BALANCE_PAUSED -> {
        out.printf(
            Locale.ROOT,
            "Balance %d of BladeSet %s is %s, round %d: %,d components moved, %s; %,d passed over.%n",
            row.getNumber(),
            PrintableText.of(bladeSet),
            state(row),
            row.getRounds(),
            reply.getComponentsMoved(),
            ByteText.of(reply.getBytesMoved()),
            reply.getComponentsSkipped());
        printMean(out);
        out.printf("About %s to move%s.%n", ByteText.of(reply.getBytesToMove()), howLong());
      }
      case BALANCE_ENDED -> {
        out.printf(
            "Balance %d of BladeSet %s has ended after %d rounds: %s.%n",
            row.getNumber(),
            PrintableText.of(bladeSet),
            row.getRounds(),
            PrintableText.of(row.getWords()));
        printMean(out);
      }
      case BALANCE_STATE_UNSPECIFIED, UNRECOGNIZED -> {
        out.printf(
            "BladeSet %s was never balanced; `weft balance --plan` shows what would move.%n",
            PrintableText.of(bladeSet));
        printMean(out);
      }
    }
    printWaits(out);
  }

  private void printWaits(PrintWriter out) {
    reply.getWaitsList().forEach(why -> out.println("It waits: " + PrintableText.of(why) + "."));
  }

  ObjectNode json() {
    BalanceRow row = reply.getBalance();
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("bladeSet", bladeSet)
            .put("state", state(row))
            .put("number", row.getNumber())
            .put("round", row.getRounds())
            .put("words", row.getWords())
            .put("meanPercent", points(reply.getMeanPpm()))
            .put("spreadPoints", points(reply.getSpreadPpm()))
            .put("bandPoints", points(reply.getBandPpm()))
            .put("bytesToMove", reply.getBytesToMove())
            .put("bytesPerSecond", reply.getBytesPerSecond())
            .put("secondsLeft", secondsLeft())
            .put("componentsMoved", reply.getComponentsMoved())
            .put("bytesMoved", reply.getBytesMoved())
            .put("componentsSkipped", reply.getComponentsSkipped());
    ArrayNode waits = node.putArray("waits");
    reply.getWaitsList().forEach(waits::add);
    ArrayNode osds = node.putArray("osds");
    for (BalanceOsd osd : reply.getOsdsList()) {
      osds.addObject()
          .put("osdId", osd.getOsdId())
          .put("usedBytes", osd.getUsedBytes())
          .put("capacityBytes", osd.getCapacityBytes())
          .put("sharePercent", points(osd.getSharePpm()))
          .put("targetBytes", osd.getTargetBytes())
          .put("leaveBytes", osd.getLeaveBytes())
          .put("leaveComponents", osd.getLeaveComponents())
          .put("comeBytes", osd.getComeBytes())
          .put("comeComponents", osd.getComeComponents())
          .put("apart", osd.getApart());
    }
    return node;
  }
}
