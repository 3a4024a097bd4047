package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.protocol.transport.TransportOptions;

class DaemonRunTest {
  @Test
  void boundsOfConnectionsAreTheConfiguredOnes() {
    WeftConf conf =
        WeftConf.defaults()
            .with(ConfigKey.CONNECTIONS, "300")
            .with(ConfigKey.CONNECTIONS_OF_HOST, "200");
    TransportOptions options = DaemonRun.transport(conf);
    assertEquals(300, options.maxConnections());
    assertEquals(200, options.maxConnectionsOfHost());
  }

  @Test
  void oneHostHasHalfOfTheConnectionsWhereNothingElseIsConfigured() {
    TransportOptions options =
        DaemonRun.transport(WeftConf.defaults().with(ConfigKey.CONNECTIONS, "300"));
    assertEquals(150, options.maxConnectionsOfHost());
  }

  @Test
  void boundOfOneHostAboveThatOfAllIsRefusedWithBoth() {
    WeftConf conf =
        WeftConf.defaults()
            .with(ConfigKey.CONNECTIONS, "300")
            .with(ConfigKey.CONNECTIONS_OF_HOST, "301");
    ConfigException refused = assertThrows(ConfigException.class, () -> DaemonRun.transport(conf));
    assertTrue(refused.getMessage().contains("connections-of-host is 301"), refused.getMessage());
    assertTrue(refused.getMessage().contains("300"), refused.getMessage());
  }
}
