package org.weft.bench.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Whose CPU time is counted. Mix in. */
public final class MeterOptions {
  @Option(
      names = "--quickstart",
      paramLabel = "DIR",
      description = "Data directory of a local quickstart: count the CPU of its daemons by kind.")
  private Path quickstart;

  @Option(
      names = "--pid",
      split = ",",
      paramLabel = "KIND=PID",
      description = "Count the CPU of this process too, under that name; may be repeated.")
  private List<String> pids = new ArrayList<>();

  @Option(
      names = "--kernel",
      description = "Count the CPU of the kernel's threads too (writing dirty pages to disk).")
  private boolean kernel;

  /** As it was asked for; the processes are looked up now. */
  public CpuMeter meter() throws IOException {
    CpuMeter meter = new CpuMeter();
    if (quickstart != null) {
      meter.addQuickstart(quickstart);
    }
    for (String pid : pids) {
      String[] parts = pid.split("=", -1);
      if (parts.length != 2 || !parts[1].matches("[0-9]{1,10}")) {
        throw new IllegalArgumentException("--pid wants KIND=PID, got '" + pid + "'");
      }
      meter.add(parts[0], Long.parseLong(parts[1]));
    }
    if (kernel) {
      meter.addKernel();
    }
    return meter;
  }
}
