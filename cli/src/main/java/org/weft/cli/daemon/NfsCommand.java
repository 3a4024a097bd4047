package org.weft.cli.daemon;

import java.util.List;
import java.util.concurrent.Callable;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.NfsMeters;
import org.weft.cli.nfs.ClientsCommand;
import org.weft.cli.nfs.ExportCommand;
import org.weft.cli.nfs.IdCommand;
import org.weft.cli.nfs.LocksCommand;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft nfs}: an NFS gateway. */
@Command(
    name = "nfs",
    description =
        "Runs an NFS gateway, which serves what `weft nfs export` names to clients of NFS version 3."
            + " It keeps nothing on a disk; any number of them serve the same.",
    mixinStandardHelpOptions = true,
    subcommands = {ExportCommand.class, IdCommand.class, ClientsCommand.class, LocksCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs --config /etc/weft/weft.conf",
      "  weft nfs --set cluster.join-token-file=sysmgr/join-token --listen 127.0.0.1:7350",
      "  weft nfs export add /projects --clients 10.1.0.0/16",
      "  mount -t nfs -o vers=3,proto=tcp,port=7350,mountport=7350,nolock HOST:/projects /mnt"
    })
public final class NfsCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private DaemonOptions options;

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Address (nfs.listen).")
  private String listen;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Address of /metrics, or off (nfs.metrics).")
  private String metrics;

  @Override
  public Integer call() throws Exception {
    WeftConf conf = options.settings(ConfigKey.NFS_LISTEN, listen);
    WeftConf settings = metrics == null ? conf : conf.with(ConfigKey.NFS_METRICS, metrics);
    NfsOptions gateway = NfsSettings.of(conf, NfsSettings.USUAL_MEMORY_BYTES);
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        (environment, meters) -> {
          NfsDaemon daemon = NfsDaemon.start(gateway, environment);
          new NfsMeters(meters).gateways(() -> List.of(daemon));
          MeteredDaemon metered =
              MeteredDaemon.of(daemon, settings, ConfigKey.NFS_METRICS, gateway.listen(), meters);
          return new DaemonRun.Running(
              metered, "nfs gateway listens on " + daemon.address() + metered.where());
        });
  }
}
