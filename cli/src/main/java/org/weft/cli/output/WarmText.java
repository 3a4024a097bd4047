package org.weft.cli.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.WarmCopyState;

/** The warm state in the backup of a volume, as text for people. */
public final class WarmText {
  private WarmText() {}

  /** The text for a volume that has a backup. */
  public static String of(VolumeHealth health) {
    WarmCopyState warm = health.getWarm();
    return switch (warm.getPhase()) {
      case UNKNOWN, UNRECOGNIZED -> "warm: unknown";
      case FILLING -> "filling, " + behind(warm);
      case WARM ->
          "warm, "
              + behind(warm)
              + String.format(
                  Locale.ROOT,
                  ", at %s; %,d records for redo",
                  new Lsn(warm.getAppliedLsn()),
                  warm.getRedoRecords());
      case COLD -> "cold: " + PrintableText.of(warm.getReason());
    };
  }

  /** The same as JSON. */
  public static void into(ObjectNode json, VolumeHealth health) {
    WarmCopyState warm = health.getWarm();
    json.put(
            "state",
            switch (warm.getPhase()) {
              case UNKNOWN, UNRECOGNIZED -> "unknown";
              case FILLING -> "filling";
              case WARM -> "warm";
              case COLD -> "cold";
            })
        .put("applied", new Lsn(warm.getAppliedLsn()).toString())
        .put("recordsBehind", warm.getRecordsBehind())
        .put("redoRecords", warm.getRedoRecords())
        .put("reason", warm.getReason());
  }

  private static String behind(WarmCopyState warm) {
    return String.format(Locale.ROOT, "%,d records behind", warm.getRecordsBehind());
  }
}
