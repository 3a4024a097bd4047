package org.weft.bench.driven;

import java.util.List;
import org.weft.bench.load.BenchSettings;
import org.weft.bench.load.CaseOptions;
import org.weft.bench.load.Sizes;
import org.weft.bench.load.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One load with its options, as a line of a plan has it and a driven process takes it. */
@Command(name = "load")
public final class LoadLine {
  @Parameters(paramLabel = "WORKLOAD")
  private String workload;

  @Option(names = "--threads", defaultValue = "1")
  private int threads;

  @Option(names = "--io-size", defaultValue = "0")
  private String ioSize;

  @Mixin private CaseOptions options = new CaseOptions();

  private LoadLine() {}

  /**
   * Reads words like those of a command line.
   *
   * @throws IllegalArgumentException that says what is wrong with them
   */
  public static LoadLine parse(List<String> words) {
    LoadLine line = new LoadLine();
    try {
      var unused = new CommandLine(line).parseArgs(words.toArray(new String[0]));
    } catch (CommandLine.ParameterException e) {
      throw new IllegalArgumentException(String.join(" ", words) + ": " + e.getMessage(), e);
    }
    return line;
  }

  public Workload workload() {
    return Workload.named(workload);
  }

  public int threads() {
    return threads;
  }

  /** The settings under a directory. */
  public BenchSettings settings(String directory) {
    return options.settings(directory, threads, Math.toIntExact(Sizes.bytes(ioSize)));
  }
}
