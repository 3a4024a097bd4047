package org.weft.hadoop.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of keys: its page, its defaults, and what it refuses. */
class ConnectorKeyTest {
  private static final Path PAGE = Path.of("..", "docs", "hadoop-compatibility.md");
  private static final String BEGIN = "<!-- keys: made of ConnectorKey -->\n";
  private static final String END = "<!-- end of keys -->";

  @Test
  void thePageShowsTheTable() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    assertTrue(begin >= BEGIN.length(), "the page has no place for the keys");
    assertEquals(ConnectorKey.reference(), page.substring(begin, page.indexOf(END)));
  }

  @Test
  void everyDefaultIsGoodAsItStands() {
    Settings defaults = Settings.of(new Configuration(false));
    assertEquals(128L << 20, defaults.blockBytes());
    assertEquals(022, defaults.umask());
    assertTrue(defaults.layout().isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "fs.weft.block.size, 10",
    "fs.weft.block.size, wide",
    "fs.weft.home.prefix, homes",
    "fs.weft.list.page.entries, 0",
    "fs.weft.parallel.requests, many",
    "fs.weft.connect.timeout, 0ms",
    "fs.weft.read.policy, backward",
    "fs.weft.read.verify-parity, perhaps",
    "fs.weft.read.hedged.least, 0ms",
    "fs.weft.layout.parity-units, 2"
  })
  void impossibleValueIsNamedWithItsKey(String key, String value) {
    Configuration conf = new Configuration(false);
    conf.set(key, value);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Settings.of(conf));
    assertTrue(refused.getMessage().contains(key), refused::getMessage);
  }
}
