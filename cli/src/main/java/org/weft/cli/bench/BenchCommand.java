package org.weft.cli.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.weft.bench.driven.DrivenBench;
import org.weft.bench.load.BenchOptions;
import org.weft.bench.load.BenchTarget;
import org.weft.bench.load.WeftBenchFiles;
import org.weft.cli.cluster.ClusterConnection;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.client.HedgeOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft bench}: how fast a running cluster is. */
@Command(
    name = "bench",
    description = {
      "Measures a running cluster: streams, random reads, small files, metadata.",
      "Works in a new directory and removes it at the end. CPU is that of this process, and of the daemons"
          + " named by --quickstart or --pid."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft bench                                         a first impression",
      "  weft bench stream-write,stream-read --threads 1,4 --size 1g --quickstart weft-data",
      "  weft bench create --threads 16 --seconds 10 --json",
      "  weft bench stream-write --warmup-seconds 60 --before-rep sync --sync --kernel --quickstart weft-data"
    })
public final class BenchCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private BenchOptions options = new BenchOptions();

  @Option(
      names = "--no-hedges",
      description = "Wait for units that are late; else they are rebuilt from the others.")
  private boolean noHedges;

  @Option(
      names = "--cache",
      defaultValue = "0",
      paramLabel = "N",
      description =
          "Entries of each client's cache of attributes, names, listings and openings; if not 0, it"
              + " keeps bytes of small reads, too (default: ${DEFAULT-VALUE}, it asks each time).")
  private int cachedEntries;

  @Option(names = "--json", description = "Print JSON lines in place of the table.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    BenchTarget target =
        () -> {
          ClusterConnection connection =
              cluster.connect(
                  noHedges ? HedgeOptions.off() : HedgeOptions.defaults(), cachedEntries);
          return new WeftBenchFiles(connection.client(), connection::close);
        };
    try {
      if (options.isDriven()) {
        try (DrivenBench driven = new DrivenBench(target, options.meter(), options.scene())) {
          driven.serve(System.in, out);
        }
      } else {
        options.run(target, out, spec.commandLine().getErr(), json);
      }
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return 0;
  }
}
