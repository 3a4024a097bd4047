package org.weft.bench.rebuild;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** One point of the figures: a cluster that runs, what it is filled with, and which OSD is lost. */
final class RebuildOptions {
  @Option(names = "--cluster", required = true, description = "HOST:PORT of its SysMgr.")
  String cluster;

  @Option(names = "--rest", required = true, description = "HOST:PORT of SysMgr's REST interface.")
  String rest;

  @Option(names = "--data", required = true, description = "Data directory of the quickstart.")
  Path data;

  @Option(names = "--osds", required = true, description = "OSDs that it has; the last is lost.")
  int osds;

  @Option(names = "--managers", defaultValue = "1", description = "Managers that it has.")
  int managers;

  @Option(
      names = "--volumes",
      defaultValue = "0",
      description = "Volumes, dealt out to the managers (0: one for each).")
  int volumes;

  @Option(
      names = "--width",
      defaultValue = "0",
      description = "Of parity groups, one unit of them parity (0: by the number of OSDs).")
  int width;

  @Option(names = "--disk-rate", required = true, description = "Bytes a second of each disk.")
  double diskBytesPerSecond;

  @Option(names = "--per-osd", required = true, description = "Bytes that lie on each OSD, about.")
  long bytesPerOsd;

  @Option(names = "--file-size", required = true, description = "Bytes of each file.")
  int fileBytes;

  @Option(names = "--share", defaultValue = "50", description = "repair.share of the managers.")
  int sharePercent;

  @Option(names = "--files-at-once", defaultValue = "4", description = "repair.files-at-once.")
  int filesAtOnce;

  @Option(
      names = "--foreground",
      defaultValue = "0",
      description =
          "Seconds for which clients read and write before the loss, after it, and all through the rebuild.")
  int foregroundSeconds;

  @Option(names = "--sweep", defaultValue = "", description = "What the point belongs to.")
  String sweep;

  @Option(names = "--out", description = "A line of JSON is added to this file.")
  Path out;

  @Option(names = "--json", description = "Print that line in place of the sentence.")
  boolean json;

  int volumeCount() {
    return volumes == 0 ? managers : volumes;
  }
}
