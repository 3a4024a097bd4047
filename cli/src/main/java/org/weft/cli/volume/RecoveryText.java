package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.weft.protocol.wire.RecoveryProgress;

/** How far the recovery of a volume is, for people and programs. */
final class RecoveryText {
  private static final long MILLIS_OF_SECOND = 1_000;

  private RecoveryText() {}

  /** Files, directories and links that were found in a second; 0: it is too early to say. */
  static long filesPerSecond(RecoveryProgress now) {
    return now.getElapsedMillis() == 0
        ? 0
        : now.getNodes() * MILLIS_OF_SECOND / now.getElapsedMillis();
  }

  /** The time left for the objects; the names follow, which are faster. -1: unknown. */
  static long secondsLeft(RecoveryProgress now) {
    long rate = filesPerSecond(now);
    boolean isScanning = now.getStep().equals("objects") && now.getExpected() > 0;
    return isScanning && rate > 0 ? Math.max(0, now.getExpected() - now.getNodes()) / rate : -1;
  }

  static String line(RecoveryProgress now) {
    long left = secondsLeft(now);
    return String.format(
        Locale.ROOT,
        "%s: %,d of at most %,d files, %,d files/s, %,d names%s",
        now.getStep(),
        now.getNodes(),
        now.getExpected(),
        filesPerSecond(now),
        now.getNames(),
        left < 0 ? "" : String.format(Locale.ROOT, ", about %,d s left", left));
  }

  static ObjectNode into(ObjectNode json, RecoveryProgress now) {
    json.put("step", now.getStep())
        .put("files", now.getNodes())
        .put("directories", now.getDirectories())
        .put("expected", now.getExpected())
        .put("names", now.getNames())
        .put("found", now.getFound())
        .put("dropped", now.getDropped())
        .put("removed", now.getRemoved())
        .put("resolving", now.getResolving())
        .put("staleCopies", now.getStaleCopies())
        .put("headless", now.getHeadless())
        .put("remade", now.getRemade())
        .put("returned", now.getReturned())
        .put("unreadable", now.getUnreadable())
        .put("seconds", now.getElapsedMillis() / (double) MILLIS_OF_SECOND)
        .put("filesPerSecond", filesPerSecond(now));
    ArrayNode notes = json.putArray("notes");
    now.getNotesList().forEach(notes::add);
    return json;
  }
}
