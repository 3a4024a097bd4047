package org.weft.bench.nfs;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.weft.bench.driven.DrivenBench;
import org.weft.bench.load.BenchFiles;
import org.weft.bench.load.BenchOptions;
import org.weft.bench.load.BenchTarget;
import org.weft.nfs.oncrpc.OncRpcClient;
import org.weft.nfs.oncrpc.OncRpcOptions;
import org.weft.nfs.oncrpc.OncRpcTransport;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The loads of {@code weft bench} on any server of NFS version 3. */
@Command(
    name = "nfs-bench",
    description = {
      "Runs the loads of `weft bench` on a server of NFS version 3 over TCP, by a client in user"
          + " space. Its port is above 1,023: the export must allow that (--insecure).",
    },
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  nfs-bench stream-write,stream-read --server 127.0.0.1:7350 --dir /bench --threads 1,4",
      "  nfs-bench pread --server 127.0.0.1:2049 --mount-port 20048 --export /srv --dir /bench"
    })
public final class NfsBench implements Callable<Integer> {
  private static final int TIMEOUT_MILLIS = 60_000;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private BenchOptions options = new BenchOptions();

  @Option(
      names = "--server",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Where NFS is served.")
  private String server;

  @Option(
      names = "--mount-port",
      paramLabel = "PORT",
      description = "Where MOUNT is served (default: the port of NFS).")
  private Integer mountPort;

  @Option(
      names = "--export",
      paramLabel = "PATH",
      defaultValue = "/",
      description = "What is mounted (default: ${DEFAULT-VALUE}); --dir is below it.")
  private String export;

  @Option(names = "--json", description = "Print JSON lines in place of the table.")
  private boolean json;

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new NfsBench())
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  line.getErr().println("nfs-bench: " + failure.getMessage());
                  return 1;
                })
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (SystemEnvironment system = SystemEnvironment.create()) {
      Environment environment = system.environment();
      OncRpcTransport transport =
          new OncRpcTransport(
              OncRpcOptions.USUAL,
              environment.scheduler(),
              environment.ticker(),
              environment.random());
      try {
        BenchTarget target = () -> connect(transport);
        if (options.isDriven()) {
          try (DrivenBench driven = new DrivenBench(target, options.meter(), options.scene())) {
            driven.serve(System.in, out);
          }
        } else {
          options.run(target, out, spec.commandLine().getErr(), json);
        }
      } finally {
        transport.close();
      }
    } catch (IllegalArgumentException e) {
      throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return 0;
  }

  private BenchFiles connect(OncRpcTransport transport) throws IOException {
    Endpoint nfs = Endpoint.parse(server);
    OncRpcClient calls = connect(transport, nfs.host(), nfs.port());
    OncRpcClient mount = mountPort == null ? calls : connect(transport, nfs.host(), mountPort);
    return new NfsBenchFiles(
        new NfsCalls(calls),
        new NfsCalls(mount).mount(export),
        () -> {
          calls.close();
          mount.close();
        });
  }

  private static OncRpcClient connect(OncRpcTransport transport, String host, int port)
      throws IOException {
    return NfsCalls.await(
        transport.connect(
            new InetSocketAddress(host, port), OptionalInt.empty(), TIMEOUT_MILLIS, Runnable::run));
  }
}
