package org.weft.bench.rebuild;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.system.PolledWait;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Fills a cluster, loses one of its OSDs for good and measures until every file is redundant again.
 * The clock runs from the moment at which SysMgr has recorded that the OSD is removed.
 */
@Command(
    name = "rebuild",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures one rebuild on a quickstart that bench/rebuild has started.")
public final class RebuildBench implements Callable<Integer> {
  private static final double MEGABYTE = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int VERIFIED = 4;

  /** That a volume chooses by itself (P 4.1). */
  private static final int WIDEST = 11;

  private static final Duration POLL = Duration.ofMillis(25);
  private static final Duration MAX_REBUILD = Duration.ofMinutes(15);

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private RebuildOptions options = new RebuildOptions();

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new RebuildBench()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, Object> line;
    try (RebuiltCluster cluster = new RebuiltCluster(options.cluster, options.rest, options.data)) {
      line = measured(cluster);
    }
    String json = new ObjectMapper().writeValueAsString(line);
    if (options.out != null) {
      var unused =
          Files.writeString(
              options.out, json + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    spec.commandLine().getOut().println(options.json ? json : sentence(line));
    spec.commandLine().getOut().flush();
    return 0;
  }

  private Map<String, Object> measured(RebuiltCluster cluster)
      throws IOException, InterruptedException {
    List<String> directories = new ArrayList<>();
    for (int i = 0; i < options.volumeCount(); i++) {
      String path = "/r" + i;
      cluster.volume(path, 1 + i % options.managers);
      directories.add(path);
    }
    FilledFiles files =
        new FilledFiles(
            cluster.client(), directories, fileCount(), options.fileBytes, options.width);
    progress("writing %d files of %,d bytes", files.count(), options.fileBytes);
    files.write();
    progress("settling");
    cluster.awaitRest(files.count());
    try (Foreground foreground = new Foreground(cluster.client(), files, directories.get(0))) {
      return measured(cluster, files, foreground);
    }
  }

  /** As many as fill the OSDs, with what redundancy takes. */
  private int fileCount() {
    int width = options.width == 0 ? Math.min(options.osds - 1, WIDEST) : options.width;
    boolean isSmall = options.fileBytes <= 64 << 10;
    double copies = isSmall ? 2 : width / (width - 1.0);
    return (int)
        Math.ceil(options.bytesPerOsd * (double) options.osds / copies / options.fileBytes);
  }

  private Map<String, Object> measured(
      RebuiltCluster cluster, FilledFiles files, Foreground foreground)
      throws IOException, InterruptedException {
    Map<String, Object> line = described(files);
    OsdId lost = new OsdId(options.osds);
    FilledFiles.Held held = files.on(lost);
    if (held.files().isEmpty()) {
      throw new IllegalStateException(
          "osd-" + lost + " has nothing of the files; write more of them (--per-osd)");
    }
    if (options.foregroundSeconds > 0) {
      foreground.begin();
      progress("clients alone");
      line.put("clientsAlone", clients(foreground));
    }
    progress("losing osd-%s with %d of the files", lost, held.files().size());
    cluster.stop(lost);
    if (options.foregroundSeconds > 0) {
      progress("clients beside a lost OSD");
      var stopping = foreground.taken();
      line.put("clientsWhileItStops", stopping);
      line.put("clientsWithoutIt", clients(foreground));
    }
    MachineLoad before = MachineLoad.now();
    cluster.remove(lost);
    List<Double> finishedSeconds = awaitWhole(cluster, files, lost, held);
    double seconds = finishedSeconds.get(finishedSeconds.size() - 1);
    MachineLoad after = MachineLoad.now();
    if (options.foregroundSeconds > 0) {
      line.put("clientsDuringRebuild", foreground.taken());
    }
    line.put("lostFiles", held.files().size());
    line.put("lostBytes", held.bytes());
    line.put("seconds", seconds);
    line.put("firstSeconds", finishedSeconds.get(0));
    line.put("megabytesPerSecond", held.bytes() / MEGABYTE / seconds);
    line.put("boundMegabytesPerSecond", bound((int) line.get("width")));
    line.put("machineBusy", after.busySince(before));
    line.put("loadAverage", before.average());
    foreground.close();
    progress("reading files back");
    for (int i = 0; i < Math.min(VERIFIED, held.files().size()); i++) {
      files.verify(held.files().get(i));
    }
    return line;
  }

  private Map<String, Object> described(FilledFiles files) throws IOException {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("sweep", options.sweep);
    line.put("osds", options.osds);
    line.put("managers", options.managers);
    line.put("volumes", options.volumeCount());
    line.put("width", files.width());
    line.put("fileBytes", options.fileBytes);
    line.put("files", files.count());
    line.put("diskBytesPerSecond", options.diskBytesPerSecond);
    line.put("sharePercent", options.sharePercent);
    line.put("filesAtOnce", options.filesAtOnce);
    return line;
  }

  private Map<String, Object> clients(Foreground foreground) throws IOException {
    var unused = PolledWait.every(Duration.ofSeconds(options.foregroundSeconds)).pause();
    return foreground.taken();
  }

  /** When each of the files was whole again, in the order in which that was seen. */
  private List<Double> awaitWhole(
      RebuiltCluster cluster, FilledFiles files, OsdId lost, FilledFiles.Held held)
      throws IOException {
    List<Double> finishedSeconds = new ArrayList<>();
    PolledWait wait = PolledWait.every(POLL).atMost(MAX_REBUILD);
    long saidNanos = 0;
    for (int number : held.files()) {
      while (!files.isWhole(number, lost)) {
        if (!wait.pause()) {
          throw new IllegalStateException(
              "%d of %d files are whole after %d min; %s"
                  .formatted(
                      finishedSeconds.size(),
                      held.files().size(),
                      MAX_REBUILD.toMinutes(),
                      cluster.repairs()));
        }
        if (wait.waitedNanos() - saidNanos > TimeUnit.SECONDS.toNanos(5)) {
          saidNanos = wait.waitedNanos();
          progress("%d of %d files", finishedSeconds.size(), held.files().size());
        }
      }
      finishedSeconds.add(wait.waitedNanos() / NANOS_PER_SECOND);
    }
    return finishedSeconds;
  }

  /** Of rebuilt bytes, if all disks that are left read and wrote all the time. */
  private double bound(int width) {
    double moved = options.fileBytes <= 64 << 10 ? 2 : width;
    return (options.osds - 1) * options.diskBytesPerSecond / MEGABYTE / moved;
  }

  private void progress(String format, Object... values) {
    spec.commandLine().getErr().println("  " + String.format(Locale.ROOT, format, values) + " ...");
    spec.commandLine().getErr().flush();
  }

  private static String sentence(Map<String, Object> line) {
    return String.format(
        Locale.ROOT,
        "%s: %s OSDs, %s managers, width %s: %.1f MB in %.1f s (the first file after %.1f), %.2f"
            + " MB/s of %.2f; machine %.0f %% busy, load %.1f",
        line.get("sweep"),
        line.get("osds"),
        line.get("managers"),
        line.get("width"),
        (long) line.get("lostBytes") / MEGABYTE,
        (double) line.get("seconds"),
        (double) line.get("firstSeconds"),
        (double) line.get("megabytesPerSecond"),
        (double) line.get("boundMegabytesPerSecond"),
        100 * (double) line.get("machineBusy"),
        (double) line.get("loadAverage"));
  }
}
