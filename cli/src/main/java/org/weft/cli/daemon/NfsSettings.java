package org.weft.cli.daemon;

import java.io.IOException;
import java.util.Locale;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.nfs.daemon.NfsOptions;
import org.weft.nfs.daemon.PortmapMode;
import org.weft.protocol.rpc.Endpoint;

/** The settings of an NFS gateway in {@code weft.conf}. */
final class NfsSettings {
  /** Two transfers of the largest kind, and room for small calls. */
  private static final long MIN_MEMORY_BYTES = 8L << 20;

  /** The default memory of a gateway in a process of its own. */
  static final long USUAL_MEMORY_BYTES = 256L << 20;

  private NfsSettings() {}

  /**
   * The options of a gateway.
   *
   * @param usualMemoryBytes where nfs.memory says nothing
   * @throws ConfigException naming the key that is wrong
   */
  static NfsOptions of(WeftConf conf, long usualMemoryBytes) throws IOException {
    Endpoint address = DaemonOptions.listen(conf, ConfigKey.NFS_LISTEN);
    NfsOptions options =
        new NfsOptions(
            address,
            DaemonOptions.advertised(conf, ConfigKey.NFS_ADVERTISED, address),
            conf.endpoints(ConfigKey.CLUSTER_SYSMGR),
            DaemonOptions.joinToken(conf),
            DaemonOptions.host(conf),
            portmap(conf),
            memory(conf, usualMemoryBytes));
    return options.withHostIds(conf.flag(ConfigKey.NFS_HOST_IDS));
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

  private static long memory(WeftConf conf, long usualBytes) {
    long bytes = conf.bytes(ConfigKey.NFS_MEMORY).orElse(usualBytes);
    if (bytes < MIN_MEMORY_BYTES) {
      throw new ConfigException(
          ConfigKey.NFS_MEMORY.key() + " must be 8M at least, got " + bytes + " bytes");
    }
    return bytes;
  }
}
