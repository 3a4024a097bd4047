package org.weft.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeftConfTest {
  @TempDir Path scratch;

  private WeftConf conf(String text) throws IOException {
    return WeftConf.load(Files.writeString(scratch.resolve("weft.conf"), text));
  }

  @Test
  void thePageOfSettingsIsTheTableInTheCode() throws IOException {
    Path page = Path.of("..", "docs", "configuration.md");
    assertEquals(
        ConfigReference.markdown(),
        Files.readString(page),
        "make it again: ./weft config reference > docs/configuration.md");
  }

  @Test
  void aMisspeltKeyIsRefusedNamingTheNearest() {
    ConfigException refused = assertThrows(ConfigException.class, () -> conf("osd.capasity=1g\n"));
    assertTrue(refused.getMessage().contains("'osd.capasity'"), refused.getMessage());
    assertTrue(refused.getMessage().contains("'osd.capacity'"), refused.getMessage());
  }

  @Test
  void aKeyLikeNoOtherIsRefusedNamingWhereAllAreListed() {
    ConfigException refused = assertThrows(ConfigException.class, () -> conf("q=1\n"));
    assertTrue(refused.getMessage().contains("'q'"), refused.getMessage());
    assertTrue(refused.getMessage().contains("weft config reference"), refused.getMessage());
  }

  @Test
  void commandLineOverridesTheFile() throws IOException {
    WeftConf conf = conf("osd.capacity=1g\n").withAssignment("osd.capacity = 2G");
    assertEquals(2L << 30, conf.bytes(ConfigKey.OSD_CAPACITY).orElseThrow());
  }

  @Test
  void writtenConfigurationIsReadBack() throws IOException {
    WeftConf conf = WeftConf.defaults().with(ConfigKey.OSD_DATA, "C:\\weft data");
    assertEquals("C:\\weft data", conf(conf.toText()).text(ConfigKey.OSD_DATA));
  }

  @Test
  void sizesAreRefusedWithTheirNameAndWhatWouldDo() throws IOException {
    for (String text : new String[] {"12q", "-1", "", " ", "999999999t", "1.5g"}) {
      ConfigException refused =
          assertThrows(ConfigException.class, () -> ByteSize.parse("--capacity", text));
      assertTrue(refused.getMessage().startsWith("--capacity: "), refused.getMessage());
    }
    assertEquals(512L << 20, ByteSize.parse("--capacity", "512 MiB"));
    assertEquals(7, ByteSize.parse("--capacity", "7"));
  }

  @Test
  void wrongFlagsNumbersAndAddressesNameTheirKey() throws IOException {
    assertWrong("security.trusted-network=yes", c -> c.flag(ConfigKey.SECURITY_TRUSTED_NETWORK));
    assertWrong("manager.min-osds=0", c -> c.number(ConfigKey.MANAGER_MIN_OSDS, 1));
    assertWrong("manager.min-osds=many", c -> c.number(ConfigKey.MANAGER_MIN_OSDS, 1));
    assertWrong("cluster.sysmgr=storage0", c -> c.endpoints(ConfigKey.CLUSTER_SYSMGR));
    assertWrong("osd.data=", c -> c.path(ConfigKey.OSD_DATA));
  }

  private void assertWrong(String line, java.util.function.Consumer<WeftConf> use)
      throws IOException {
    WeftConf conf = conf(line + "\n");
    ConfigException refused = assertThrows(ConfigException.class, () -> use.accept(conf));
    assertTrue(
        refused.getMessage().contains(line.substring(0, line.indexOf('='))), refused.getMessage());
  }
}
