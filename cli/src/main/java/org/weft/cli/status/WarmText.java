package org.weft.cli.status;

import java.util.Locale;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.WarmCopyState;

/** What the backup of a volume has in memory, for people. */
public final class WarmText {
  private WarmText() {}

  /** Of a volume that has a backup. */
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

  private static String behind(WarmCopyState warm) {
    return String.format(Locale.ROOT, "%,d records behind", warm.getRecordsBehind());
  }
}
