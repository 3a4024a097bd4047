package org.weft.cli.daemon;

import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.bench.disk.SlowSegmentDirectory;
import org.weft.cli.config.ByteSize;
import org.weft.protocol.seam.SegmentDirectory;

/** For measurements only: slows the disk of an OSD's segments down to one rate. */
public final class BenchDisk {
  private static final Logger LOG = LoggerFactory.getLogger(BenchDisk.class);

  private BenchDisk() {}

  /**
   * What an OSD puts in the place of its folder; it is to be asked once for each OSD.
   *
   * @param option whose value it is, for an error message
   * @param rate bytes a second, like 8m; 0: as fast as the disk is
   */
  public static UnaryOperator<SegmentDirectory> of(String option, String rate) {
    long bytesPerSecond = ByteSize.parse(option, rate);
    if (bytesPerSecond == 0) {
      return UnaryOperator.identity();
    }
    LOG.warn("the disk is slowed down to {} bytes a second, to measure", bytesPerSecond);
    return folder -> new SlowSegmentDirectory(folder, bytesPerSecond);
  }
}
