package org.weft.bench.pair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.weft.bench.summary.RunSummary;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import org.weft.protocol.wire.NfsIdRow;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * How long a change of the configuration takes until SysMgr says that it is durable on a majority
 * of its members. The bench adds and removes numbers of users, one after another.
 */
@Command(
    name = "update",
    mixinStandardHelpOptions = true,
    description = "Measures changes of SysMgr's configuration, each waited for.")
public final class UpdateBench implements Callable<Integer> {
  /** Numbers that no machine gives to a user. */
  private static final long FIRST_NUMBER = 0xff00_0000L;

  private static final double NANOS_OF_MILLI = 1e6;

  @Option(names = "--cluster", required = true, description = "HOST:PORT of a SysMgr.")
  private String cluster;

  @Option(names = "--user", description = "A superuser (default: the user of this process).")
  private String user = System.getProperty("user.name");

  @Option(
      names = "--changes",
      defaultValue = "200",
      description = "How many; half as many before them do not count (default ${DEFAULT-VALUE}).")
  private int changes;

  @Option(
      names = "--samples",
      required = true,
      description = "File that each change's time is added to, for the summary of the run.")
  private Path samples;

  @Option(names = "--system", required = true, description = "How the summary calls the cluster.")
  private String label;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new UpdateBench()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    ClusterViewOptions options =
        ClusterViewOptions.of(List.of(Endpoint.parse(cluster)), Optional.empty(), "bench");
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor home = system.environment().scheduler().newSerialExecutor("bench");
        ClusterView view = ClusterView.open(options, system.environment(), home).join()) {
      NfsAdmin admin = new NfsAdmin(view);
      long[] nanos = new long[changes];
      for (int change = -changes / 2; change < changes; change++) {
        long tookNanos = change(admin, change);
        if (change >= 0) {
          nanos[change] = tookNanos;
        }
      }
      Arrays.sort(nanos);
      var unused =
          Files.writeString(
              samples,
              Arrays.stream(nanos)
                  .mapToObj(each -> sample(each / NANOS_OF_MILLI))
                  .collect(Collectors.joining()),
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
      System.out.printf(
          Locale.ROOT,
          "%d changes: median %.1f ms, 90 %% %.1f ms, most %.1f ms%n",
          changes,
          nanos[changes / 2] / NANOS_OF_MILLI,
          nanos[changes * 9 / 10] / NANOS_OF_MILLI,
          nanos[changes - 1] / NANOS_OF_MILLI);
    }
    return 0;
  }

  private String sample(double millis) {
    return RunSummary.sample("change of the configuration", label, "took", "ms", millis);
  }

  private long change(NfsAdmin admin, int change) {
    boolean named = (change & 1) == 0;
    NfsIdRow.Builder row =
        NfsIdRow.newBuilder()
            .setNumber((int) FIRST_NUMBER)
            .setName(named ? "bench" + Math.abs(change) : "");
    long beganNanos = System.nanoTime();
    admin.change(ChangeNfsIdRequest.newBuilder().setUser(user).setId(row).build()).join();
    return System.nanoTime() - beganNanos;
  }
}
