package org.weft.cli.daemon;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.DaemonMeters;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft osd}: an object storage device. */
@Command(
    name = "osd",
    description = "Runs an object storage device (OSD), or checks one that is stopped.",
    mixinStandardHelpOptions = true,
    subcommands = {
      OsdCheckCommand.class,
      OsdDrainCommand.class,
      OsdRemoveCommand.class,
      OsdScrubCommand.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft osd --config /etc/weft/weft.conf --data /disk1/weft --listen 10.1.0.7:7400",
      "  weft osd check /disk1/weft     prove that a stopped OSD's store is sound",
      "  weft osd drain osd-3           copy what it holds to others, while it is used",
      "  weft osd remove osd-3          it does not come back; rebuild what it held now"
    })
public final class OsdCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private DaemonOptions options;

  @Option(names = "--data", paramLabel = "DIR", description = "Data directory (osd.data).")
  private Path data;

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Address (osd.listen).")
  private String listen;

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      description = "Space the OSD may use, like 512m or 4T (osd.capacity).")
  private String capacity;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Address of /metrics, or off (osd.metrics).")
  private String metrics;

  @Option(
      names = "--bench-disk-rate",
      hidden = true,
      defaultValue = "${sys:weft.bench.disk-rate:-0}",
      paramLabel = "SIZE",
      description = "For measurements only: bytes a second that the disk of segments moves.")
  private String diskRate;

  @Override
  public Integer call() throws Exception {
    WeftConf conf = options.settings(ConfigKey.OSD_DATA, data, ConfigKey.OSD_LISTEN, listen);
    if (capacity != null) {
      conf = conf.with(ConfigKey.OSD_CAPACITY, capacity);
    }
    WeftConf settings = metrics == null ? conf : conf.with(ConfigKey.OSD_METRICS, metrics);
    Endpoint address = DaemonOptions.listen(conf, ConfigKey.OSD_LISTEN);
    OsdOptions osd =
        new OsdOptions(
                conf.path(ConfigKey.OSD_DATA),
                address,
                DaemonOptions.advertised(conf, ConfigKey.OSD_ADVERTISED, address),
                conf.endpoints(ConfigKey.CLUSTER_SYSMGR),
                DaemonOptions.joinToken(conf),
                DaemonOptions.host(conf),
                conf.bytes(ConfigKey.OSD_CAPACITY),
                conf.number(ConfigKey.OSD_SHARING_DISK, 1),
                durability(conf))
            .withScrubPeriodMillis(scrubPeriodMillis(conf))
            .withPlace(
                conf.optional(ConfigKey.OSD_RACK).orElse(""),
                conf.optional(ConfigKey.OSD_BLADESET).orElse(""));
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        ConfigKey.OSD_DATA,
        (environment, meters) -> {
          OsdDaemon daemon =
              OsdDaemon.start(osd, environment, BenchDisk.of("--bench-disk-rate", diskRate));
          String name = "osd-" + daemon.osdId();
          new DaemonMeters(meters).osd(name, () -> Optional.of(daemon));
          MeteredDaemon metered =
              MeteredDaemon.of(daemon, settings, ConfigKey.OSD_METRICS, address, meters);
          return new DaemonRun.Running(
              metered, name + " listens on " + address + metered.where(), daemon.ended());
        });
  }

  private static long scrubPeriodMillis(WeftConf conf) {
    return conf.text(ConfigKey.OSD_SCRUB_DAYS).equals("off")
        ? 0
        : TimeUnit.DAYS.toMillis(conf.number(ConfigKey.OSD_SCRUB_DAYS, 1));
  }

  private static Durability durability(WeftConf conf) {
    String text = conf.text(ConfigKey.OSD_DURABILITY);
    return switch (text) {
      case "write-back" -> Durability.WRITE_BACK;
      case "write-through" -> Durability.WRITE_THROUGH;
      default ->
          throw new ConfigException(
              ConfigKey.OSD_DURABILITY.key()
                  + " must be write-back or write-through, got '"
                  + text
                  + "'");
    };
  }
}
