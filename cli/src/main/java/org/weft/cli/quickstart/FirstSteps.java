package org.weft.cli.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.client.AttributeChanges;
import org.weft.client.ClientOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/** Makes what a new user needs: a home and {@code /tmp}. Prints the next steps. */
final class FirstSteps {
  private static final int TMP_MODE = 01777;
  private static final int HOME_MODE = 0755;
  private static final int FORMER_HOMES_MODE = 0777;
  private static final int START_MILLIS = 120_000;

  private FirstSteps() {}

  /**
   * Waits until the root volume is served, and makes {@code /tmp} and {@code /user/$USER} where
   * missing.
   */
  static void prepare(QuickstartPlan plan) throws IOException {
    String user = System.getProperty("user.name");
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks =
            system.environment().scheduler().newSerialExecutor("first-steps");
        WeftClient client =
            WeftClient.connect(
                    ClientOptions.builder(plan.sysmgrs(), user, callbacks)
                        .clientName("quickstart")
                        .umask(0)
                        .openTimeoutMillis(START_MILLIS)
                        .requestTimeoutMillis(START_MILLIS)
                        .build(),
                    system.environment())
                .join()) {
      WeftFiles files = client.files();
      WeftPath tmp = WeftPath.of("/tmp");
      if (files.find(tmp).isEmpty()) {
        files.mkdir(tmp, TMP_MODE);
        files.setAttributes(tmp, AttributeChanges.none().withMode(TMP_MODE));
      }
      prepareHomes(files, WeftPath.of("/user"));
      WeftPath home = WeftPath.of("/user").child(user);
      if (files.find(home).isEmpty()) {
        files.mkdir(home, HOME_MODE);
      }
      if (plan.gateways() > 0) {
        FirstExport.prepare(ClientParts.of(client).cluster(), user);
      }
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
  }

  /**
   * Makes the directory of the homes, which its owner alone may change. Earlier releases made it
   * with mode 0777, so that any user could rename and remove another user's home.
   */
  private static void prepareHomes(WeftFiles files, WeftPath homes) throws IOException {
    Optional<FileStatus> found = files.find(homes);
    if (found.isEmpty()) {
      files.mkdir(homes, HOME_MODE);
    } else if (found.get().mode() == FORMER_HOMES_MODE) {
      files.setAttributes(homes, AttributeChanges.none().withMode(HOME_MODE));
    }
  }

  static void print(QuickstartPlan plan, PrintWriter out) throws IOException {
    String sysmgrs =
        plan.sysmgrs().stream().map(Endpoint::toString).collect(Collectors.joining(","));
    String cluster = plan.portBase() == 7300 && plan.nodes() == 1 ? "" : " --cluster " + sysmgrs;
    String data =
        plan.data().equals(Path.of("weft-data").toAbsolutePath().normalize())
            ? ""
            : " --data " + plan.data();
    out.printf(
        """

        Weft is ready.
          files     weft://%s/
          status    http://%s/
        %s  logs      %s%s

        Next, in another terminal:
          ./weft status%s
          ./weft fs put FILE /tmp/%s
          ./weft fs ls /tmp%s
          ./weft demo%s%s

        Ctrl-C stops it; starting again finds all data.
        """,
        plan.sysmgr(),
        plan.rest(),
        mount(plan),
        plan.logDirectory(),
        memory(),
        cluster,
        cluster,
        cluster,
        data,
        cluster);
    out.flush();
  }

  /** How a host with the usual client of NFS mounts it. */
  private static String mount(QuickstartPlan plan) {
    if (plan.gateways() == 0) {
      return "";
    }
    Endpoint gateway = plan.gateway(1);
    return "  mount     mount -t nfs -o vers=3,proto=tcp,port=%d,mountport=%d,nolock %s:/ /mnt\n"
        .formatted(gateway.port(), gateway.port(), gateway.host());
  }

  /** What this process and the daemons that it started hold. */
  private static String memory() {
    long kibibytes =
        Stream.concat(Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants())
            .mapToLong(process -> residentKibibytes(process.pid()))
            .sum();
    return kibibytes == 0 ? "" : "\n  memory    " + kibibytes / 1024 + " MiB resident";
  }

  /** 0 where the system does not say it, or the process has ended. */
  private static long residentKibibytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }
}
