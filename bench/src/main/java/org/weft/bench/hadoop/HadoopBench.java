package org.weft.bench.hadoop;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.weft.bench.driven.DrivenBench;
import org.weft.bench.load.BenchOptions;
import org.weft.bench.load.BenchTarget;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The loads of {@code weft bench} on any file system that Hadoop knows. */
@Command(
    name = "hadoop-bench",
    description = "Runs the loads of `weft bench` on a Hadoop file system.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  hadoop-bench stream-write,stream-read --fs hdfs://127.0.0.1:9820 --dir /rs32 --threads 1,4",
      "  hadoop-bench --fs weft://127.0.0.1:7300/ --quickstart weft-data"
    })
public final class HadoopBench implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private BenchOptions options = new BenchOptions();

  @Option(names = "--fs", required = true, paramLabel = "URI", description = "The file system.")
  private URI uri;

  @Option(names = "-D", paramLabel = "KEY=VALUE", description = "An entry of its configuration.")
  private Map<String, String> entries = new HashMap<>();

  @Option(names = "--json", description = "Print JSON lines in place of the table.")
  private boolean json;

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new HadoopBench())
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  line.getErr().println("hadoop-bench: " + failure.getMessage());
                  return 1;
                })
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Configuration configuration = new Configuration();
    entries.forEach(configuration::set);
    PrintWriter out = spec.commandLine().getOut();
    BenchTarget target = () -> new HadoopBenchFiles(FileSystem.newInstance(uri, configuration));
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
