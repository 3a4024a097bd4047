package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.sysmgr.storage.MemberDirectory;

class SysmgrSettingsTest {
  @TempDir Path scratch;

  /** As a cluster of three has it on every host. */
  private WeftConf conf() {
    return WeftConf.defaults()
        .with(ConfigKey.SYSMGR_DATA, scratch.resolve("sysmgr").toString())
        .with(ConfigKey.CLUSTER_SYSMGR, "127.0.0.1:7300,127.0.0.1:7303,127.0.0.1:7306");
  }

  private void start(WeftConf conf) {
    SysmgrSettings.requireOwnCluster(conf, SysmgrSettings.from(conf));
  }

  @Test
  void memberWithALostDiskMakesNoNewCluster() {
    String message = assertThrows(ConfigException.class, () -> start(conf())).getMessage();
    assertTrue(message.contains("--join") && message.contains("sysmgr.members"), message);
  }

  @Test
  void aRestoredMemberStartsAloneAlthoughOthersAreNamed() throws IOException {
    MemberDirectory.restore(scratch.resolve("sysmgr"), new byte[] {1});
    assertDoesNotThrow(() -> start(conf()));
  }

  /** Of three, each of which has its own row of the same list. */
  private WeftConf memberOf(String members, String... ratis) {
    WeftConf conf =
        conf()
            .with(ConfigKey.SECURITY_TRUSTED_NETWORK, "true")
            .with(ConfigKey.SYSMGR_MEMBERS, members)
            .with(ConfigKey.SYSMGR_ID, "2");
    return ratis.length == 0 ? conf : conf.with(ConfigKey.SYSMGR_RATIS, ratis[0]);
  }

  @Test
  void aMemberThatOthersCannotReachDoesNotStart() {
    String hosts = "1=10.1.0.1:7300/10.1.0.1:7302,2=10.1.0.2:7300/10.1.0.2:7302,3=c:7300/c:7302";
    String message = assertThrows(ConfigException.class, () -> start(memberOf(hosts))).getMessage();
    assertTrue(
        message.startsWith("sysmgr.ratis is 127.0.0.1:7302")
            && message.contains("sysmgr.members names 10.1.0.2:7302 for member 2"),
        message);
    assertDoesNotThrow(() -> start(memberOf(hosts, "10.1.0.2:7302")));
    assertDoesNotThrow(() -> start(memberOf(hosts, "0.0.0.0:7302")));
  }

  @Test
  void membersOfOneMachineMayListenOnLoopback() {
    String machine =
        "1=127.0.0.1:7300/127.0.0.1:7302,2=127.0.0.1:7303/127.0.0.1:7305,3=localhost:7306/localhost:7308";
    assertDoesNotThrow(() -> start(memberOf(machine, "127.0.0.1:7305")));
  }
}
