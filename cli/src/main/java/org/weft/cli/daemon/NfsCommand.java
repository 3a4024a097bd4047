package org.weft.cli.daemon;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.NfsMeters;
import org.weft.cli.nfs.ClientsCommand;
import org.weft.cli.nfs.ExportCommand;
import org.weft.cli.nfs.IdCommand;
import org.weft.cli.nfs.LocksCommand;
import org.weft.nfs.daemon.NfsDaemon;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.nfs.daemon.PortmapMode;
import org.weft.protocol.rpc.Endpoint;
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
      "  mount -t nfs -o vers=3,port=7350,mountport=7350,nolock HOST:/projects /mnt"
    })
public final class NfsCommand implements Callable<Integer> {
  /** Two transfers of the largest kind, and room for small calls. */
  private static final long LEAST_MEMORY_BYTES = 8L << 20;

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
    Endpoint address = DaemonOptions.listen(conf, ConfigKey.NFS_LISTEN);
    NfsOptions gateway =
        new NfsOptions(
            address,
            DaemonOptions.advertised(conf, ConfigKey.NFS_ADVERTISED, address),
            conf.endpoints(ConfigKey.CLUSTER_SYSMGR),
            DaemonOptions.joinToken(conf),
            DaemonOptions.host(conf),
            portmap(conf),
            memory(conf));
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        (environment, meters) -> {
          NfsDaemon daemon = NfsDaemon.start(gateway, environment);
          new NfsMeters(meters).gateways(() -> List.of(daemon));
          MeteredDaemon metered =
              MeteredDaemon.of(daemon, settings, ConfigKey.NFS_METRICS, address, meters);
          return new DaemonRun.Running(
              metered, "nfs gateway listens on " + daemon.address() + metered.where());
        });
  }

  private static PortmapMode portmap(WeftConf conf) {
    String text = conf.text(ConfigKey.NFS_PORTMAP);
    for (PortmapMode mode : PortmapMode.values()) {
      if (mode.name().toLowerCase(Locale.ROOT).equals(text)) {
        return mode;
      }
    }
    throw new ConfigException(
        ConfigKey.NFS_PORTMAP.key() + " is own, host or off, got '" + text + "'");
  }

  private static long memory(WeftConf conf) {
    long bytes = conf.bytes(ConfigKey.NFS_MEMORY).orElseThrow();
    if (bytes < LEAST_MEMORY_BYTES) {
      throw new ConfigException(
          ConfigKey.NFS_MEMORY.key() + " must be 8M at least, got " + bytes + " bytes");
    }
    return bytes;
  }
}
