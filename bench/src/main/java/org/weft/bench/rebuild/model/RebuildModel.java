package org.weft.bench.rebuild.model;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.weft.bench.plot.LineChart;
import org.weft.bench.plot.Series;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Rebuilds of clusters that are too large to have: how long, how evenly, and what may be lost. */
@Command(
    name = "bench/rebuild --model",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Rebuilds of one lost OSD on paper, of 10 to 10,000 OSDs: by the code that places files and decides on repairs,",
      "with disks of one rate. Messages, journals, the search for files and CPU take no time; disks do nothing else;",
      "all files are alike and at rest. The same seed gives the same numbers."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  bench/rebuild --model",
      "  bench/rebuild --model --osds 100,1000 --file-size 100e6 --share 100",
      "  bench/rebuild --model --detect-seconds 10 --mean-years 100 --json"
    })
public final class RebuildModel implements Callable<Integer> {
  private static final double MEGABYTE = 1e6;
  private static final int MAX_PARITY = 2;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--osds",
      split = ",",
      defaultValue = "12,24,48,100,300,1000,3000,10000",
      description = "Numbers of OSDs (${DEFAULT-VALUE}).")
  private List<Integer> osds;

  @Option(
      names = "--widths",
      split = ",",
      defaultValue = "3,5,7,9,11",
      description = "Widths of parity groups, on --width-osds OSDs (${DEFAULT-VALUE}).")
  private List<Integer> widths;

  @Option(names = "--width-osds", defaultValue = "100", description = "(${DEFAULT-VALUE})")
  private int widthOsds;

  @Option(
      names = "--data",
      defaultValue = "8",
      description = "Data units of a stripe, beside one parity unit or two (${DEFAULT-VALUE}).")
  private int dataUnits;

  @Option(
      names = "--per-host",
      defaultValue = "1",
      description = "OSDs on one host; must divide --osds (${DEFAULT-VALUE}).")
  private int perHost;

  @Option(
      names = "--used",
      defaultValue = "1e12",
      description = "Bytes on each OSD (${DEFAULT-VALUE}).")
  private double usedBytes;

  @Option(
      names = "--file-size",
      defaultValue = "1e9",
      description = "Bytes of each file (${DEFAULT-VALUE}).")
  private double fileBytes;

  @Option(
      names = "--disk-rate",
      defaultValue = "100",
      description =
          "MB/s that a disk moves in pieces of 256 KiB, seeks included (${DEFAULT-VALUE}).")
  private double diskMegabytes;

  @Option(
      names = "--files-at-once",
      defaultValue = "4",
      description = "That each volume rebuilds, repair.files-at-once (${DEFAULT-VALUE}).")
  private int filesAtOnce;

  @Option(names = "--share", defaultValue = "50", description = "repair.share (${DEFAULT-VALUE}).")
  private int sharePercent;

  @Option(
      names = "--osds-per-manager",
      defaultValue = "10",
      description =
          "As many managers, each with a volume of its own, or all for one (${DEFAULT-VALUE}).")
  private int osdsPerManager;

  @Option(
      names = "--system",
      defaultValue = "10000",
      description = "OSDs for which losses are counted, in BladeSets of --osds (${DEFAULT-VALUE}).")
  private int system;

  @Option(
      names = "--mean-years",
      defaultValue = "50",
      description = "Until an OSD fails for good: 50 are 2 %% a year (${DEFAULT-VALUE}).")
  private double meanYears;

  @Option(
      names = "--detect-seconds",
      defaultValue = "600",
      description = "From a failure to its rebuild: repair.after (${DEFAULT-VALUE}).")
  private double detectSeconds;

  @Option(
      names = "--soon-seconds",
      defaultValue = "10",
      description = "The same where an operator removes the OSD at once (${DEFAULT-VALUE}).")
  private double soonSeconds;

  @Option(names = "--seed", defaultValue = "1", description = "(${DEFAULT-VALUE})")
  private long seed;

  @Option(names = "--out", description = "Directory for model.svg, spread.svg and loss.svg.")
  private Path out;

  @Option(names = "--json", description = "One line of JSON for each rebuild, in place of tables.")
  private boolean json;

  private final ObjectMapper mapper = new ObjectMapper();
  private PrintWriter text;

  /** Rebuilds with a number of OSDs. */
  private record Sized(
      int osds,
      ModelOutcome one,
      ModelOutcome alone,
      ModelOutcome helped,
      ModelOutcome first,
      ModelOutcome two) {}

  public static void main(String[] arguments) {
    System.exit(command().execute(arguments));
  }

  static CommandLine command() {
    return new CommandLine(new RebuildModel())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (failure instanceof IllegalArgumentException
                  || failure instanceof IllegalStateException
                  || failure instanceof WeftException) {
                command.getErr().println("bench/rebuild --model: " + failure.getMessage());
                return 1;
              }
              throw failure;
            });
  }

  @Override
  public Integer call() throws IOException {
    text = spec.commandLine().getOut();
    List<Sized> sized = new ArrayList<>();
    for (int count : osds) {
      sized.add(sized(count));
    }
    Map<Integer, ModelOutcome> byWidth = new LinkedHashMap<>();
    for (int width : widths) {
      progress("width " + width + " on " + widthOsds + " OSDs");
      ModelOutcome outcome = ModelRun.of(settings(widthOsds).withCode(width - 1, 1), 1);
      byWidth.put(width, outcome);
      json("width", widthOsds, outcome, Map.of());
    }
    if (!json) {
      printSizes(sized);
      printWidths(byWidth);
      printLosses(sized);
    }
    if (out != null) {
      Files.createDirectories(out);
      draw(sized);
    }
    return 0;
  }

  private Sized sized(int count) throws IOException {
    progress(count + " OSDs");
    ModelSettings settings = settings(count);
    ModelOutcome one = ModelRun.of(settings, 1);
    ModelOutcome alone = ModelRun.of(settings.withVolumes(1), 1);
    ModelOutcome helped = ModelRun.of(settings.withVolumes(1).withManagers(settings.volumes()), 1);
    ModelSettings twofold = settings.withCode(dataUnits, MAX_PARITY);
    Sized sized =
        new Sized(
            count, one, alone, helped, ModelRun.of(twofold, 1), ModelRun.of(twofold, MAX_PARITY));
    json("osds", count, one, losses(sized));
    json("one volume", count, alone, Map.of());
    json("one volume, all managers", count, helped, Map.of());
    return sized;
  }

  private ModelSettings settings(int count) {
    return new ModelSettings(
        count,
        perHost,
        dataUnits,
        1,
        (long) usedBytes,
        (long) fileBytes,
        diskMegabytes * MEGABYTE,
        filesAtOnce,
        sharePercent,
        Math.max(1, count / osdsPerManager),
        1,
        4,
        seed);
  }

  private void progress(String what) {
    spec.commandLine().getErr().println(what + " ...");
    spec.commandLine().getErr().flush();
  }

  /** Losses a year of the whole system, and files lost of it. */
  private Map<String, Double> losses(Sized sized) {
    LossRates rates = rates();
    Map<String, Double> losses = new LinkedHashMap<>();
    losses.put("lossesPerYearOneParity", rates.withOneParity(sized.one));
    losses.put("lossesPerYearOneParitySoon", soon().withOneParity(sized.one));
    losses.put("filesLostPerYearOneParity", rates.filesWithOneParity(sized.one));
    losses.put("lossesPerYearTwoParity", rates.withTwoParity(sized.first, sized.two));
    return losses;
  }

  private LossRates rates() {
    return new LossRates(system, meanYears, detectSeconds);
  }

  private LossRates soon() {
    return new LossRates(system, meanYears, soonSeconds);
  }

  private void json(String what, int count, ModelOutcome outcome, Map<String, Double> more)
      throws IOException {
    if (!json) {
      return;
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("what", what);
    line.put("osds", count);
    line.put("width", outcome.width());
    line.put("components", outcome.components().size());
    line.put("seconds", outcome.seconds());
    line.put("megabytesPerSecond", outcome.megabytesPerSecond());
    line.put("readHighestOverMean", outcome.readHighestOverMean());
    line.put("writtenHighestOverMean", outcome.writtenHighestOverMean());
    line.put("movedHighestOverMean", outcome.movedHighestOverMean());
    line.putAll(more);
    text.println(mapper.writeValueAsString(line));
    text.flush();
  }

  private void print(String format, Object... values) {
    text.println(String.format(Locale.ROOT, format, values));
    text.flush();
  }

  private void printSizes(List<Sized> sized) {
    print(
        "%.2f TB on each OSD in files of %.3f GB, %d+1, disks of %.0f MB/s, %d files at once and %d %% of the time for each volume.%n",
        usedBytes / 1e12, fileBytes / 1e9, dataUnits, diskMegabytes, filesAtOnce, sharePercent);
    print(
        "| OSDs | declustering | volumes | until redundant | MB/s | of the disks | read: highest / mean | written | both | one volume, its manager alone | one volume, all managers |");
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (Sized each : sized) {
      ModelOutcome one = each.one;
      print(
          "| %,d | %.4f | %,d | %s | %,.0f | %.0f %% | %.2f | %.2f | %.2f | %s, %,.0f MB/s | %s, %,.0f MB/s |",
          each.osds,
          one.width() / (double) each.osds,
          settings(each.osds).volumes(),
          time(one.seconds()),
          one.megabytesPerSecond(),
          100 * one.megabytesPerSecond() / bound(each.osds, one.width()),
          one.readHighestOverMean(),
          one.writtenHighestOverMean(),
          one.movedHighestOverMean(),
          time(each.alone.seconds()),
          each.alone.megabytesPerSecond(),
          time(each.helped.seconds()),
          each.helped.megabytesPerSecond());
    }
    print("");
  }

  /** MB/s of rebuilt bytes, if all disks that are left were busy all the time. */
  private double bound(int count, int width) {
    return (count - 1) * diskMegabytes / width;
  }

  private void printWidths(Map<Integer, ModelOutcome> byWidth) {
    print("| width on %,d OSDs | until redundant | MB/s | of the disks |", widthOsds);
    print("| ---: | ---: | ---: | ---: |");
    byWidth.forEach(
        (width, outcome) ->
            print(
                "| %d | %s | %,.0f | %.0f %% |",
                width,
                time(outcome.seconds()),
                outcome.megabytesPerSecond(),
                100 * outcome.megabytesPerSecond() / bound(widthOsds, width)));
    print("");
  }

  private void printLosses(List<Sized> sized) {
    LossRates rates = rates();
    print(
        "%,d OSDs in all, a failure of each in %.0f years, %.0f s until a rebuild begins. A loss: at least one file.%n",
        system, meanYears, detectSeconds);
    print(
        "| OSDs of a BladeSet | declustering | losses a year, %d+1 | the same after %.0f s | files lost a year | losses a year, %d+2 |",
        dataUnits, soonSeconds, dataUnits);
    print("| ---: | ---: | ---: | ---: | ---: | ---: |");
    double disk = usedBytes / (diskMegabytes * MEGABYTE);
    print(
        "| fixed groups, a spare disk each | 1 | %s | %s | | %s |",
        number(rates.ofFixedGroups(dataUnits + 1, 1, disk)),
        number(soon().ofFixedGroups(dataUnits + 1, 1, disk)),
        number(rates.ofFixedGroups(dataUnits + MAX_PARITY, MAX_PARITY, disk)));
    for (Sized each : sized) {
      print(
          "| %,d | %.4f | %s | %s | %s | %s |",
          each.osds,
          each.one.width() / (double) each.osds,
          number(rates.withOneParity(each.one)),
          number(soon().withOneParity(each.one)),
          number(rates.filesWithOneParity(each.one)),
          number(rates.withTwoParity(each.first, each.two)));
    }
  }

  private static String number(double value) {
    return value >= 0.01
        ? String.format(Locale.ROOT, "%,.2f", value)
        : String.format(Locale.ROOT, "%.1e", value);
  }

  private static String time(double seconds) {
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    return seconds < 7_200
        ? String.format(Locale.ROOT, "%.1f min", seconds / 60)
        : String.format(Locale.ROOT, "%.1f h", seconds / 3_600);
  }

  private void draw(List<Sized> sized) throws IOException {
    List<Series.Point> one = new ArrayList<>();
    List<Series.Point> alone = new ArrayList<>();
    List<Series.Point> helped = new ArrayList<>();
    List<Series.Point> disks = new ArrayList<>();
    List<Series.Point> spread = new ArrayList<>();
    List<Series.Point> written = new ArrayList<>();
    List<Series.Point> single = new ArrayList<>();
    List<Series.Point> atOnce = new ArrayList<>();
    List<Series.Point> twofold = new ArrayList<>();
    LossRates rates = rates();
    for (Sized each : sized) {
      double bytes = each.one.seconds() * each.one.megabytesPerSecond();
      one.add(new Series.Point(each.osds, each.one.seconds()));
      alone.add(new Series.Point(each.osds, each.alone.seconds()));
      helped.add(new Series.Point(each.osds, each.helped.seconds()));
      disks.add(new Series.Point(each.osds, bytes / bound(each.osds, each.one.width())));
      spread.add(new Series.Point(each.osds, each.one.readHighestOverMean()));
      written.add(new Series.Point(each.osds, each.one.writtenHighestOverMean()));
      double ratio = each.one.width() / (double) each.osds;
      single.add(new Series.Point(ratio, chance(rates.withOneParity(each.one))));
      atOnce.add(new Series.Point(ratio, chance(soon().withOneParity(each.one))));
      twofold.add(new Series.Point(ratio, chance(rates.withTwoParity(each.first, each.two))));
    }
    new LineChart(
            "Time to full redundancy after the loss of one OSD (model)",
            "OSDs",
            "seconds",
            true,
            true,
            List.of(
                new Series("%d OSDs to a volume".formatted(osdsPerManager), one, false),
                new Series("one volume, its manager alone", alone, false),
                new Series("one volume, all managers", helped, false),
                new Series("all disks busy", disks, true)))
        .write(out.resolve("model.svg"));
    new LineChart(
            "Spread of a rebuild over the OSDs (model)",
            "OSDs",
            "highest over mean",
            true,
            List.of(new Series("read", spread, false), new Series("written", written, false)))
        .write(out.resolve("spread.svg"));
    new LineChart(
            "Chance that something of %,d OSDs is lost in a year (model)".formatted(system),
            "declustering: width over OSDs of a BladeSet",
            "probability",
            true,
            true,
            List.of(
                new Series(dataUnits + "+1, after %.0f s".formatted(detectSeconds), single, false),
                new Series(dataUnits + "+1, after %.0f s".formatted(soonSeconds), atOnce, false),
                new Series(
                    dataUnits + "+2, after %.0f s".formatted(detectSeconds), twofold, false)))
        .write(out.resolve("loss.svg"));
  }

  private static double chance(double yearly) {
    return LossRates.probability(yearly);
  }
}
