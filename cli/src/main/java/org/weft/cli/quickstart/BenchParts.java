package org.weft.cli.quickstart;

import java.util.function.UnaryOperator;
import org.weft.cli.daemon.BenchDisk;
import org.weft.metadata.repair.RepairOptions;
import org.weft.protocol.seam.SegmentDirectory;
import picocli.CommandLine.Option;

/**
 * For measurements only: what scripts of the bench module change of a quickstart. Daemons in one
 * process read no configuration file.
 */
final class BenchParts {
  private static final String DISK_RATE = "--bench-disk-rate";

  @Option(
      names = DISK_RATE,
      hidden = true,
      paramLabel = "SIZE",
      description = "Bytes a second that the disk of each OSD's segments moves.")
  private String diskRate = "0";

  @Option(
      names = "--bench-repair-files",
      hidden = true,
      paramLabel = "N",
      description = "Files that each volume rebuilds at a time.")
  private Integer repairFiles;

  @Option(
      names = "--bench-repair-share",
      hidden = true,
      paramLabel = "PERCENT",
      description = "Of the time in which rebuilds move bytes.")
  private Integer repairShare;

  @Option(
      names = "--bench-tcp",
      hidden = true,
      description = "With --processes: over TCP alone, as between machines.")
  private boolean overTcp;

  /** True if no process talks to another over a socket of the machine. */
  boolean overTcp() {
    return overTcp;
  }

  /** True if a part is changed that a process of its own cannot be told. */
  boolean any() {
    return !diskRate.equals("0") || repairFiles != null || repairShare != null;
  }

  /** A disk for one OSD. */
  UnaryOperator<SegmentDirectory> disk() {
    return BenchDisk.of(DISK_RATE, diskRate);
  }

  /** How managers rebuild. */
  RepairOptions repair() {
    RepairOptions usual = RepairOptions.DEFAULT;
    return new RepairOptions(
            usual.afterMillis(), repairFiles == null ? usual.filesAtOnce() : repairFiles)
        .withShare(repairShare == null ? usual.sharePercent() : repairShare);
  }
}
