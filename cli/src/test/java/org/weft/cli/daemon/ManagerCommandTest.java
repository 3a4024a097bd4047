package org.weft.cli.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.config.ConfigException;
import org.weft.cli.config.ConfigKey;
import org.weft.cli.config.WeftConf;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.scrub.ScrubOptions;

class ManagerCommandTest {
  private static final long HEAP = 1L << 30;

  @Test
  void theCacheFollowsTheHeapUnlessItIsSet() {
    assertEquals(
        CacheLimits.ofBytes(7 * HEAP / 16), ManagerCommand.cache(WeftConf.defaults(), HEAP));
    assertEquals(
        CacheLimits.ofBytes(100L << 20),
        ManagerCommand.cache(WeftConf.defaults().with(ConfigKey.MANAGER_CACHE, "100m"), HEAP));
  }

  @Test
  void theScrubOfParityIsSlowUnlessItIsSetOrOff() {
    assertEquals(ScrubOptions.DEFAULT, ManagerCommand.scrub(WeftConf.defaults()));
    WeftConf fast =
        WeftConf.defaults()
            .with(ConfigKey.SCRUB_PARITY_RATE, "2G")
            .with(ConfigKey.SCRUB_PARITY_DAYS, "0");
    assertEquals(new ScrubOptions(2L << 30, 0), ManagerCommand.scrub(fast));
    assertFalse(ManagerCommand.scrub(fast.with(ConfigKey.SCRUB_PARITY_RATE, "off")).isOn());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "63K", ""})
  void aScrubOfParityThatWouldNeverEndIsRefused(String rate) {
    WeftConf conf = WeftConf.defaults().with(ConfigKey.SCRUB_PARITY_RATE, rate);
    String message =
        assertThrows(ConfigException.class, () -> ManagerCommand.scrub(conf)).getMessage();
    assertTrue(message.contains("scrub.parity.rate") && message.contains("off"), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "4000k", "1g", "800m"})
  void aCacheThatDoesNotFitIsRefusedWithWhatWould(String size) {
    WeftConf conf = WeftConf.defaults().with(ConfigKey.MANAGER_CACHE, size);
    String message =
        assertThrows(ConfigException.class, () -> ManagerCommand.cache(conf, HEAP)).getMessage();
    assertTrue(message.contains("manager.cache") && message.contains("4M"), message);
    assertTrue(message.contains(Long.toString(HEAP)), message);
  }
}
