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
  void aMemberThatHasLostItsDiskMakesNoClusterOfItsOwn() {
    String message = assertThrows(ConfigException.class, () -> start(conf())).getMessage();
    assertTrue(message.contains("--join") && message.contains("sysmgr.members"), message);
  }

  @Test
  void aRestoredMemberStartsAloneAlthoughOthersAreNamed() throws IOException {
    MemberDirectory.restore(scratch.resolve("sysmgr"), new byte[] {1});
    assertDoesNotThrow(() -> start(conf()));
  }
}
