package org.weft.cli.daemon;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.ProcessMeters;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.transport.TransportOptions;

/** Runs one daemon until it gets a signal to stop. */
final class DaemonRun {
  /** Starts the daemon and says in one line what runs where. */
  interface Start {
    Running start(Environment environment, ProcessMeters meters) throws Exception;
  }

  /**
   * A daemon that runs.
   *
   * @param ended completes if it ends on its own, because it cannot continue
   */
  record Running(AutoCloseable daemon, String announcement, CompletionStage<?> ended) {
    Running(AutoCloseable daemon, String announcement) {
      this(daemon, announcement, new CompletableFuture<>());
    }
  }

  private DaemonRun() {}

  /**
   * @param data the key of the data directory
   */
  static int run(PrintWriter out, WeftConf conf, ConfigKey data, Start start) throws Exception {
    return run(out, conf, explaining(start, conf.path(data)));
  }

  /** A daemon without a data directory. */
  static int run(PrintWriter out, WeftConf conf, Start start) throws Exception {
    StartFailure.requireDescriptors(StartFailure.DAEMON_DESCRIPTORS);
    StopSignal stop = StopSignal.install();
    boolean clean = false;
    try {
      runUntil(stop, out, transport(conf), start);
      clean = true;
    } finally {
      stop.stopped(clean);
    }
    return 0;
  }

  static TransportOptions transport(WeftConf conf) {
    TransportOptions defaults = TransportOptions.defaults();
    int most = count(conf, ConfigKey.CONNECTIONS, defaults.maxConnections());
    int ofHost =
        count(conf, ConfigKey.CONNECTIONS_OF_HOST, TransportOptions.usualConnectionsOfHost(most));
    if (ofHost > most) {
      throw new ConfigException(
          "%s is %d, more than the %d connections that the daemon keeps; lower it or raise %s"
              .formatted(
                  ConfigKey.CONNECTIONS_OF_HOST.key(), ofHost, most, ConfigKey.CONNECTIONS.key()));
    }
    return defaults
        .withConnections(most, ofHost)
        .withLocalSockets(conf.flag(ConfigKey.LOCAL_SOCKETS));
  }

  private static int count(WeftConf conf, ConfigKey key, int usual) {
    return conf.optional(key).isPresent() ? conf.number(key, 1) : usual;
  }

  private static Start explaining(Start start, Path data) {
    return (environment, meters) -> {
      try {
        return start.start(environment, meters);
      } catch (Exception e) {
        throw StartFailure.explained(e, data);
      }
    };
  }

  private static void runUntil(
      StopSignal stop, PrintWriter out, TransportOptions transport, Start start) throws Exception {
    try (ProcessMeters meters = new ProcessMeters();
        SystemEnvironment system = SystemEnvironment.create(transport, meters.transport())) {
      Running running = start.start(system.environment(), meters);
      try {
        out.println(running.announcement());
        out.flush();
        var unused = running.ended().whenComplete((nothing, failure) -> stop.ask());
        stop.await();
        if (running.ended().toCompletableFuture().isDone()) {
          throw new CommandFailure(
              "the daemon could not go on and has ended; its log says why. Start it again when that"
                  + " is mended");
        }
      } finally {
        running.daemon().close();
      }
    }
  }
}
