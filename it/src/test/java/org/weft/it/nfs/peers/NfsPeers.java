package org.weft.it.nfs.peers;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code it/nfs-peers}. */
@Command(
    name = "it/nfs-peers",
    description = {
      "Starts a quickstart with an NFS gateway, and lets programs and libraries that others wrote"
          + " use it: nfs-cp, nfs-cat and nfs-ls of libnfs, showmount, rpcinfo, rpcbind, and"
          + " oncrpc4j. Bytes are compared with those of the Java API and of weft fs, both ways.",
      "Checks with a portmapper need port 111: root, and no portmapper on the host. As root the"
          + " script runs in a network namespace of its own, where the port is free. They are"
          + " played with nfs.portmap=own, and with nfs.portmap=host beside rpcbind.",
      "What cannot be played is skipped, with the reason. Ends with 1 if a peer saw something"
          + " wrong, and leaves data and logs in the directory that it names."
    },
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  it/nfs-peers                 as root, installs what is missing (apt-get)",
      "  it/nfs-peers --no-install    skips it"
    })
final class NfsPeers implements Callable<Integer> {
  private static final int WAIT_SECONDS = 60;

  @Option(names = "--json", description = "Print one JSON object in place of the table.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The script acts on it.
  @Option(names = "--no-install", description = "Skip programs that are missing.")
  private boolean noInstall;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "A new directory for data and logs, which stays in any case.")
  private Path keep;

  /** The command line. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new NfsPeers()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path directory =
        keep == null ? Files.createTempDirectory("weft-nfs-peers-") : Files.createDirectory(keep);
    PeerReport report = new PeerReport();
    try (PeerCluster cluster = new PeerCluster(directory.toAbsolutePath())) {
      direct(cluster).forEach(report::play);
      withOwnPortmapper(cluster, report);
      withPortmapperOfTheHost(cluster, report);
    }
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(report.fields()));
    } else {
      report.print(System.out);
    }
    if (keep == null && report.isSound()) {
      FileTree.delete(directory);
    } else {
      System.err.println("data and logs are in " + directory);
    }
    return report.isSound() ? 0 : 1;
  }

  /** Checks that need no portmapper. */
  static List<PeerCheck> direct(PeerCluster cluster) {
    List<PeerCheck> all = new ArrayList<>(new LibnfsChecks(cluster).all());
    all.addAll(new RpcChecks(cluster, cluster.gatewayPort()).direct());
    all.addAll(new Oncrpc4jChecks(cluster, cluster.gatewayPort()).direct());
    return all;
  }

  private static List<PeerCheck> portmapped(PeerCluster cluster, String portmapper) {
    int port = cluster.secondGatewayPort();
    List<PeerCheck> all = new ArrayList<>(new RpcChecks(cluster, port).portmapped(portmapper));
    all.addAll(new Oncrpc4jChecks(cluster, port).portmapped(portmapper));
    return all;
  }

  private static void withOwnPortmapper(PeerCluster cluster, PeerReport report) throws Exception {
    List<PeerCheck> checks = portmapped(cluster, "nfs.portmap=own");
    if (!PeerCluster.hasPortmapPort()) {
      checks.forEach(check -> report.skip(check, "port 111 cannot be listened on"));
      return;
    }
    cluster.exportMore();
    try (WeftProcess gateway = cluster.startGateway("own")) {
      checks.forEach(report::play);
      report.play(endsInOrder(gateway, "nfs.portmap=own"));
    }
  }

  private static void withPortmapperOfTheHost(PeerCluster cluster, PeerReport report)
      throws Exception {
    List<PeerCheck> checks = portmapped(cluster, "nfs.portmap=host");
    if (!PeerCluster.hasPortmapPort()) {
      checks.forEach(check -> report.skip(check, "port 111 cannot be listened on"));
      return;
    }
    if (PeerPrograms.find("rpcbind").isEmpty()) {
      checks.forEach(check -> report.skip(check, "rpcbind is not installed"));
      return;
    }
    Process rpcbind = cluster.programs().start("rpcbind", "-f");
    try {
      Await.until(
          WAIT_SECONDS,
          () -> "rpcbind does not answer",
          () -> cluster.programs().run("rpcinfo", "-p", PeerCluster.HOST).status() == 0);
      try (WeftProcess gateway = cluster.startGateway("host")) {
        checks.forEach(report::play);
        report.play(endsInOrder(gateway, "nfs.portmap=host"));
        report.play(
            PeerCheck.of(
                "rpcinfo",
                "-p lists nothing of a gateway that ended: nfs.portmap=host",
                () -> assertNothingIsLeft(cluster)));
      }
    } finally {
      rpcbind.destroy();
      if (!rpcbind.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)) {
        rpcbind.destroyForcibly();
      }
    }
  }

  private static PeerCheck endsInOrder(WeftProcess gateway, String portmapper) {
    return new PeerCheck(
        "weft nfs",
        "ends in order: " + portmapper,
        List.of(),
        () -> {
          int status = gateway.stop();
          if (status != 0) {
            throw new AssertionError("exit status " + status + ": " + gateway.output());
          }
        });
  }

  private static void assertNothingIsLeft(PeerCluster cluster) throws Exception {
    String left = cluster.programs().must("rpcinfo", "-p", PeerCluster.HOST).text();
    for (int program : List.of(100_003, 100_005, 100_021, 100_024)) {
      if (left.contains(Integer.toString(program))) {
        throw new AssertionError(left);
      }
    }
  }
}
