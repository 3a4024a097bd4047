package org.weft.cli.daemon;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.HostName;
import org.weft.sysmgr.storage.JoinTokenFile;
import picocli.CommandLine.Option;

/** What all daemons take from the command line, and how their settings come together. */
public final class DaemonOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration file; `weft config reference` lists its keys.")
  private Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Lays one setting over the file; may be repeated.")
  private List<String> assignments = new ArrayList<>();

  @Option(
      names = "--log-file",
      paramLabel = "FILE",
      description = "Log there instead of to standard error (warnings only).")
  private Path logFile;

  /** The settings, with values from own options of the command if they were given. */
  WeftConf settings(ConfigKey dataKey, Path data, ConfigKey listenKey, String listen)
      throws IOException {
    WeftConf conf = settings(listenKey, listen);
    return data == null ? conf : conf.with(dataKey, data.toString());
  }

  /** The settings, with a value from an own option of the command if it was given. */
  WeftConf settings(ConfigKey listenKey, String listen) throws IOException {
    if (logFile != null) {
      Logs.toFile(logFile.toAbsolutePath());
    }
    WeftConf conf = WeftConf.defaults();
    if (config != null) {
      try {
        conf = WeftConf.load(config);
      } catch (NoSuchFileException e) {
        throw new ConfigException("--config: there is no file " + config);
      }
    }
    for (String assignment : assignments) {
      conf = conf.withAssignment(assignment);
    }
    return listen == null ? conf : conf.with(listenKey, listen);
  }

  static byte[] joinToken(WeftConf conf) throws IOException {
    Path file = conf.path(ConfigKey.CLUSTER_JOIN_TOKEN_FILE);
    try {
      return JoinTokenFile.read(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException(
          ConfigKey.CLUSTER_JOIN_TOKEN_FILE.key()
              + ": there is no file "
              + file
              + "; copy `join-token` from SysMgr's data directory");
    }
  }

  static String host(WeftConf conf) {
    return conf.optional(ConfigKey.HOST)
        .or(HostName::own)
        .orElseThrow(
            () ->
                new ConfigException(
                    "this machine does not know its own name; set " + ConfigKey.HOST.key()));
  }

  /** Refuses to show keys to a network that is not set to be trusted. */
  static Endpoint listen(WeftConf conf, ConfigKey key) {
    Endpoint endpoint = conf.endpoint(key);
    boolean loopback;
    try {
      loopback = InetAddress.getByName(endpoint.host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new ConfigException(key.key() + ": the host of " + endpoint + " is not known here");
    }
    if (!loopback && !conf.flag(ConfigKey.SECURITY_TRUSTED_NETWORK)) {
      throw new ConfigException(
          key.key()
              + " is "
              + endpoint
              + ", which others can reach, and there is no TLS yet: keys and"
              + " data would cross the network in clear. If it is a network you trust, set "
              + ConfigKey.SECURITY_TRUSTED_NETWORK.key()
              + "=true");
    }
    return endpoint;
  }

  static Endpoint advertised(WeftConf conf, ConfigKey key, Endpoint listen) {
    return conf.optional(key).isPresent() ? conf.endpoint(key) : listen;
  }
}
