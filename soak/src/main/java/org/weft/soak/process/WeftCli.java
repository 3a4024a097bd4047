package org.weft.soak.process;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.weft.cli.WeftCommand;
import org.weft.cli.output.Console;
import org.weft.protocol.rpc.Endpoint;

/**
 * Runs {@code weft} commands against a cluster, in this JVM: the same parser, command and exit code
 * as a user's, without starting a JVM for each. Commands that end or wait for a signal need {@link
 * WeftProcess}.
 */
public final class WeftCli {
  /** What a command printed, and how it ended. */
  public record Result(int exitCode, String output) {}

  private static final int COLUMNS = 80;

  private final String cluster;

  public WeftCli(int portBase) {
    this(List.of(new Endpoint("127.0.0.1", portBase)));
  }

  /**
   * @param sysmgrs where members of SysMgr listen
   */
  public WeftCli(List<Endpoint> sysmgrs) {
    this.cluster = sysmgrs.stream().map(Endpoint::toString).collect(Collectors.joining(","));
  }

  /** Runs a command that must succeed; its output. */
  public String run(String... arguments) {
    Result result = tryRun(arguments);
    if (result.exitCode() != 0) {
      throw new AssertionError(
          "exit status %d of %s: %s"
              .formatted(result.exitCode(), String.join(" ", arguments), result.output()));
    }
    return result.output();
  }

  public Result tryRun(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--cluster";
    all[arguments.length + 1] = cluster;
    return runWithoutCluster(all);
  }

  /** Runs a command that looks at files of this machine alone. */
  public static Result runWithoutCluster(String... arguments) {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    Console console = Console.of(InputStream.nullInputStream(), output, output, false, COLUMNS);
    int exitCode = WeftCommand.run(console, arguments);
    console.text().flush();
    console.err().flush();
    return new Result(exitCode, output.toString(StandardCharsets.UTF_8));
  }
}
