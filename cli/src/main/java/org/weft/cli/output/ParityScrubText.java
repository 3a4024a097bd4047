package org.weft.cli.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.weft.protocol.wire.ParityScrubState;

/** How far the scrub of a volume's parity is, for people and programs. */
public final class ParityScrubText {
  private ParityScrubText() {}

  /**
   * One line without an end.
   *
   * @param nodes of the volume, as far as known
   */
  public static String line(ParityScrubState scrub, long nodes) {
    StringBuilder text = new StringBuilder();
    if (scrub.getOff()) {
      text.append("parity scrub off");
    } else if (scrub.getBegunMillis() != 0) {
      text.append(
          String.format(
              Locale.ROOT,
              "parity scrub since %s, %d%%, %,d files, %s",
              time(scrub.getBegunMillis()),
              percent(scrub, nodes),
              scrub.getFiles(),
              ByteText.of(scrub.getBytes())));
    } else {
      text.append("parity scrub rests");
    }
    text.append(
        scrub.getPasses() == 0
            ? "; no full pass yet"
            : String.format(
                Locale.ROOT,
                "; last full pass %s, %,d files%s",
                time(scrub.getLastEndedMillis()),
                scrub.getLastFiles(),
                scrub.getLastLeft() == 0
                    ? ""
                    : String.format(Locale.ROOT, " (%,d left out)", scrub.getLastLeft())));
    if (scrub.getContradicted() > 0) {
      text.append(String.format(Locale.ROOT, "; CONTRADICTED: %,d files", scrub.getContradicted()));
    }
    if (!scrub.getWaits().isEmpty()) {
      text.append("; waits: ").append(PrintableText.of(scrub.getWaits()));
    }
    return text.toString();
  }

  private static long percent(ParityScrubState scrub, long nodes) {
    return nodes <= 0 ? 0 : Math.min(100, 100 * scrub.getObjects() / nodes);
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Adds its fields. */
  public static void into(ObjectNode json, ParityScrubState scrub) {
    json.put("off", scrub.getOff())
        .put("passes", scrub.getPasses())
        .put("contradicted", scrub.getContradicted());
    if (scrub.getBegunMillis() != 0) {
      json.put("begun", time(scrub.getBegunMillis()))
          .put("objects", scrub.getObjects())
          .put("files", scrub.getFiles())
          .put("bytes", scrub.getBytes())
          .put("left", scrub.getLeft())
          .put("objectId", scrub.getObjectId());
    }
    if (scrub.getPasses() != 0) {
      json.put("lastBegun", time(scrub.getLastBegunMillis()))
          .put("lastEnded", time(scrub.getLastEndedMillis()))
          .put("lastFiles", scrub.getLastFiles())
          .put("lastLeft", scrub.getLastLeft());
    }
    json.put("waits", scrub.getWaits());
  }
}
