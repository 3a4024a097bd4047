package org.weft.cli.daemon;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.manager.DrainCommand;
import org.weft.cli.manager.RemoveCommand;
import org.weft.cli.manager.UndrainCommand;
import org.weft.cli.metrics.DaemonMeters;
import org.weft.cli.metrics.ProcessMeters;
import org.weft.metadata.ManagerDaemon;
import org.weft.metadata.ManagerOptions;
import org.weft.metadata.ManagerTuning;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.scrub.ScrubOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft manager}: a metadata manager. */
@Command(
    name = "manager",
    description = "Runs a metadata manager, which owns the namespace of volumes.",
    mixinStandardHelpOptions = true,
    subcommands = {DrainCommand.class, UndrainCommand.class, RemoveCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft manager --config /etc/weft/weft.conf --data /var/lib/weft/manager",
      "  weft manager --data m1 --set cluster.join-token-file=sysmgr/join-token",
      "  weft manager --config /etc/weft/weft.conf --set manager.nfs=true     and an NFS gateway",
      "  weft manager drain manager-2     move its volumes away before maintenance",
      "  weft manager remove manager-2    it was drained and stopped, and does not come back"
    })
public final class ManagerCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerCommand.class);

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
  @Mixin private DaemonOptions options;

  @Option(names = "--data", paramLabel = "DIR", description = "Data directory (manager.data).")
  private Path data;

  @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Address (manager.listen).")
  private String listen;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Address of /metrics, or off (manager.metrics).")
  private String metrics;

  @Override
  public Integer call() throws Exception {
    WeftConf conf =
        options.settings(ConfigKey.MANAGER_DATA, data, ConfigKey.MANAGER_LISTEN, listen);
    WeftConf settings = metrics == null ? conf : conf.with(ConfigKey.MANAGER_METRICS, metrics);
    Endpoint address = DaemonOptions.listen(conf, ConfigKey.MANAGER_LISTEN);
    long heap = GatewayBeside.heapOfManager(conf, Runtime.getRuntime().maxMemory());
    ManagerOptions manager =
        new ManagerOptions(
            conf.path(ConfigKey.MANAGER_DATA),
            address,
            DaemonOptions.advertised(conf, ConfigKey.MANAGER_ADVERTISED, address),
            conf.endpoints(ConfigKey.CLUSTER_SYSMGR),
            DaemonOptions.joinToken(conf),
            DaemonOptions.host(conf),
            conf.number(ConfigKey.MANAGER_MIN_OSDS, 1),
            ManagerTuning.DEFAULT
                .withCache(cache(conf, heap))
                .withBackups(conf.flag(ConfigKey.MANAGER_BACKUP))
                .withRepair(repair(conf, heap))
                .withScrub(scrub(conf)));
    return DaemonRun.run(
        spec.commandLine().getOut(),
        conf,
        ConfigKey.MANAGER_DATA,
        (environment, meters) ->
            GatewayBeside.isWanted(conf)
                ? startWithGateway(manager, settings, environment, meters)
                : start(manager, settings, environment, meters).running());
  }

  /** A manager that runs, as {@link DaemonRun} sees it. */
  private record Started(ManagerDaemon daemon, DaemonRun.Running running) {}

  private static Started start(
      ManagerOptions manager, WeftConf settings, Environment environment, ProcessMeters meters)
      throws Exception {
    ManagerDaemon daemon = ManagerDaemon.start(manager, environment);
    new DaemonMeters(meters).managers(() -> List.of(daemon));
    MeteredDaemon metered =
        MeteredDaemon.of(daemon, settings, ConfigKey.MANAGER_METRICS, manager.listen(), meters);
    return new Started(
        daemon,
        new DaemonRun.Running(
            metered, "manager listens on " + manager.listen() + metered.where(), daemon.ended()));
  }

  /** The gateway begins behind the manager, and ends before it: it has bytes to bring away. */
  private DaemonRun.Running startWithGateway(
      ManagerOptions manager, WeftConf settings, Environment environment, ProcessMeters meters)
      throws Exception {
    AtomicInteger number = new AtomicInteger();
    Beside<?> gateway =
        GatewayBeside.prepare(settings, number::get, meters, spec.commandLine().getOut());
    Started started = start(manager.withBeside(gateway::problems), settings, environment, meters);
    number.set(started.daemon().managerId().value());
    gateway.begin();
    var unused =
        started
            .daemon()
            .ended()
            .thenRun(
                () ->
                    LOG.error(
                        "the manager of this process cannot go on; the NFS gateway beside it ends"
                            + " in order with it, and its clients wait until one has its address"));
    return new DaemonRun.Running(
        () -> {
          gateway.close();
          started.running().daemon().close();
        },
        started.running().announcement(),
        started.running().ended());
  }

  static CacheLimits cache(WeftConf conf, long heapBytes) {
    long bytes = conf.bytes(ConfigKey.MANAGER_CACHE).orElse(heapBytes / 16 * 7);
    if (bytes < CacheLimits.MIN_BYTES || bytes > heapBytes / 4 * 3) {
      throw new ConfigException(
          "%s must be 4M at least and three quarters of the heap (%s) at most, got %d; the heap is set by WEFT_JAVA_OPTS=-Xmx4g"
              .formatted(ConfigKey.MANAGER_CACHE.key(), heapBytes, bytes));
    }
    return CacheLimits.ofBytes(bytes);
  }

  static ScrubOptions scrub(WeftConf conf) {
    int days = conf.number(ConfigKey.SCRUB_PARITY_DAYS, 0);
    if (days > ScrubOptions.MAX_DAYS) {
      throw new ConfigException(
          "%s must be at most %,d, got %d; to read nothing set %s=off"
              .formatted(
                  ConfigKey.SCRUB_PARITY_DAYS.key(),
                  ScrubOptions.MAX_DAYS,
                  days,
                  ConfigKey.SCRUB_PARITY_RATE.key()));
    }
    if (conf.text(ConfigKey.SCRUB_PARITY_RATE).equals("off")) {
      return new ScrubOptions(0, days);
    }
    long rate = conf.bytes(ConfigKey.SCRUB_PARITY_RATE).orElse(0);
    if (rate < ScrubOptions.MIN_BYTES_PER_SECOND) {
      throw new ConfigException(
          "%s must be off, or 64K at least, got '%s'"
              .formatted(
                  ConfigKey.SCRUB_PARITY_RATE.key(), conf.text(ConfigKey.SCRUB_PARITY_RATE)));
    }
    return new ScrubOptions(rate, days);
  }

  private static RepairOptions repair(WeftConf conf, long heapBytes) {
    int files = conf.number(ConfigKey.REPAIR_FILES_AT_ONCE, 0);
    if (files > RepairOptions.MAX_FILES_AT_ONCE) {
      throw new ConfigException(
          ConfigKey.REPAIR_FILES_AT_ONCE.key()
              + " must be at most "
              + RepairOptions.MAX_FILES_AT_ONCE
              + ", got "
              + files);
    }
    int share = conf.number(ConfigKey.REPAIR_SHARE, 1);
    if (share > RepairOptions.MAX_SHARE_PERCENT) {
      throw new ConfigException(
          "%s is a percentage from 1 to %d, got %d"
              .formatted(ConfigKey.REPAIR_SHARE.key(), RepairOptions.MAX_SHARE_PERCENT, share));
    }
    return new RepairOptions(conf.millis(ConfigKey.REPAIR_AFTER).orElse(RepairOptions.NEVER), files)
        .withShare(share)
        .withHeap(heapBytes);
  }
}
