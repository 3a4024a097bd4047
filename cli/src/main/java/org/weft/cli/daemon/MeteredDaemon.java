package org.weft.cli.daemon;

import java.io.IOException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.cli.metrics.MetricsServer;
import org.weft.cli.metrics.ProcessMeters;
import org.weft.protocol.rpc.Endpoint;

/** A daemon together with its {@code /metrics}. */
@SuppressWarnings("try") // Daemons may be interrupted while they stop.
final class MeteredDaemon implements AutoCloseable {
  private static final String OFF = "off";
  private static final int PORTS = 65_536;

  private final AutoCloseable daemon;
  private final MetricsServer metrics;

  private MeteredDaemon(AutoCloseable daemon, MetricsServer metrics) {
    this.daemon = daemon;
    this.metrics = metrics;
  }

  /**
   * Serves the meters beside a daemon that runs; stops it if their port is taken.
   *
   * @param key where to listen: an address, "off", or empty for the daemon's host and its port +
   *     1000
   */
  static MeteredDaemon of(
      AutoCloseable daemon,
      WeftConf conf,
      ConfigKey key,
      Endpoint daemonListens,
      ProcessMeters meters)
      throws Exception {
    if (conf.text(key).equals(OFF)) {
      return new MeteredDaemon(daemon, null);
    }
    try {
      return new MeteredDaemon(
          daemon, MetricsServer.start(endpoint(conf, key, daemonListens), meters::scrape));
    } catch (IOException | RuntimeException e) {
      daemon.close();
      throw e;
    }
  }

  private static Endpoint endpoint(WeftConf conf, ConfigKey key, Endpoint daemonListens) {
    return conf.optional(key).isPresent()
        ? DaemonOptions.listen(conf, key)
        : new Endpoint(
            daemonListens.host(),
            daemonListens.port() == 0
                ? 0
                : (daemonListens.port() + MetricsServer.PORT_OFFSET) % PORTS);
  }

  /** For the line that a daemon prints when it has started. */
  String where() {
    return metrics == null ? "" : ", metrics http://" + metrics.address() + "/metrics";
  }

  @Override
  public void close() throws Exception {
    if (metrics != null) {
      metrics.close();
    }
    daemon.close();
  }
}
