package org.weft.cli.daemon;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.MetricsRoute;
import org.weft.sysmgr.SysmgrDaemon;
import org.weft.sysmgr.SysmgrOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft sysmgr}: one member of the system manager. */
@Command(
    name = "sysmgr",
    description = "Runs the system manager, which holds the cluster's configuration.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr --data /var/lib/weft/sysmgr",
      "  weft sysmgr --config /etc/weft/weft.conf --log-file /var/log/weft/sysmgr.log"
    })
public final class SysmgrCommand implements Callable<Integer> {
  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private DaemonOptions options;

  @Option(names = "--data", paramLabel = "DIR", description = "Data directory (sysmgr.data).")
  private Path data;

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Address (sysmgr.listen).")
  private String listen;

  @Override
  public Integer call() throws Exception {
    WeftConf conf = options.settings(ConfigKey.SYSMGR_DATA, data, ConfigKey.SYSMGR_LISTEN, listen);
    SysmgrOptions sysmgr = SysmgrSettings.from(conf);
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        (environment, meters) -> {
          SysmgrDaemon daemon = SysmgrDaemon.start(sysmgr, environment);
          daemon.addRoutes(MetricsRoute.of(meters));
          return new DaemonRun.Running(
              daemon,
              "sysmgr-"
                  + sysmgr.memberId()
                  + daemon.knownClusterId().map(id -> " of cluster " + id).orElse("")
                  + " listens on "
                  + sysmgr.listen()
                  + ", status page http://"
                  + sysmgr.rest()
                  + "/",
              daemon.ended());
        });
  }
}
