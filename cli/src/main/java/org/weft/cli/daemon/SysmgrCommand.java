package org.weft.cli.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.member.MemberCommand;
import org.weft.cli.metrics.ClockMeters;
import org.weft.cli.metrics.MetricsRoute;
import org.weft.cli.restore.RestoreCommand;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;
import org.weft.sysmgr.storage.MemberDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft sysmgr}: one member of the system manager. */
@Command(
    name = "sysmgr",
    description = "Runs the system manager, which holds the cluster's configuration.",
    mixinStandardHelpOptions = true,
    subcommands = {MemberCommand.class, RestoreCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr --data /var/lib/weft/sysmgr",
      "  weft sysmgr --config weft.conf --join storage0:7300 --join-token-file join-token",
      "  weft sysmgr member list",
      "  weft sysmgr --config /etc/weft/weft.conf --log-file /var/log/weft/sysmgr.log"
    })
public final class SysmgrCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private DaemonOptions options;

  @Option(names = "--data", paramLabel = "DIR", description = "Data directory (sysmgr.data).")
  private Path data;

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Address (sysmgr.listen).")
  private String listen;

  @Option(
      names = "--join",
      paramLabel = "HOST:PORT",
      split = ",",
      description =
          "Members of a cluster's SysMgr that this one is to join, where its data directory is new;"
              + " an operator then lets it in with `weft sysmgr member add`.")
  private List<String> join = List.of();

  @Option(
      names = "--join-token-file",
      paramLabel = "FILE",
      description = "The cluster's join token (cluster.join-token-file); with --join.")
  private Path tokenFile;

  @Option(
      names = "--moved",
      description =
          "The data directory was moved or copied here, and its member has not run anywhere since:"
              + " take it. Without this a copy is refused.")
  private boolean moved;

  private SysmgrOptions options(WeftConf conf) throws IOException {
    SysmgrOptions sysmgr = SysmgrSettings.from(conf);
    if (join.isEmpty()) {
      SysmgrSettings.requireOwnCluster(conf, sysmgr);
      return sysmgr;
    }
    WeftConf named =
        tokenFile == null
            ? conf
            : conf.with(ConfigKey.CLUSTER_JOIN_TOKEN_FILE, tokenFile.toString());
    return sysmgr.joining(
        new SysmgrOptions.JoinPlan(
            named
                .with(ConfigKey.CLUSTER_SYSMGR, String.join(",", join))
                .endpoints(ConfigKey.CLUSTER_SYSMGR),
            DaemonOptions.joinToken(named)));
  }

  @Override
  public Integer call() throws Exception {
    WeftConf conf = options.settings(ConfigKey.SYSMGR_DATA, data, ConfigKey.SYSMGR_LISTEN, listen);
    SysmgrOptions sysmgr = options(conf);
    if (moved) {
      MemberDirectory.believeMoved(sysmgr.dataDirectory());
    }
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        ConfigKey.SYSMGR_DATA,
        (environment, meters) -> {
          SysmgrDaemon daemon = SysmgrDaemon.start(sysmgr, environment);
          daemon.addRoutes(MetricsRoute.of(meters));
          ClockMeters.of(meters, daemon::clocksAheadMillis);
          return new DaemonRun.Running(
              daemon,
              "sysmgr-"
                  + daemon.memberId()
                  + daemon.knownClusterId().map(id -> " of cluster " + id).orElse("")
                  + (daemon.isCandidate()
                      ? " waits for `weft sysmgr member add " + daemon.memberId() + "`,"
                      : "")
                  + " listens on "
                  + sysmgr.listen()
                  + ", status page http://"
                  + sysmgr.rest()
                  + "/",
              daemon.ended());
        });
  }
}
