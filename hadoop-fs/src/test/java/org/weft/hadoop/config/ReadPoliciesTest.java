package org.weft.hadoop.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.client.ReadOptions;
import org.weft.client.ReadPattern;

/** What Hadoop's options of {@code openFile} mean for a stream. */
class ReadPoliciesTest {
  private static Configuration with(String key, String value) {
    Configuration conf = new Configuration(false);
    conf.set(key, value);
    return conf;
  }

  /** As the builder of {@code openFile} passes them on: with the keys that its caller has set. */
  private static ReadOptions of(Configuration options, Configuration conf) {
    Set<String> keys = new TreeSet<>();
    options.forEach(option -> keys.add(option.getKey()));
    ReadOptions asHints = ReadPolicies.of(parameters(options, keys, Set.of()), Settings.of(conf));
    ReadOptions asDemands = ReadPolicies.of(parameters(options, Set.of(), keys), Settings.of(conf));
    assertEquals(asHints, asDemands);
    return asHints;
  }

  private static OpenFileParameters parameters(
      Configuration options, Set<String> optional, Set<String> mandatory) {
    return new OpenFileParameters()
        .withOptions(options)
        .withOptionalKeys(optional)
        .withMandatoryKeys(mandatory);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "adaptive; ADAPTIVE",
        "random; RANDOM",
        "vector, random; RANDOM",
        "sequential; SEQUENTIAL",
        "whole-file; WHOLE",
        "Whole-File, sequential; WHOLE",
        "of-a-later-hadoop, random; RANDOM",
        "parquet, random; ADAPTIVE",
        "csv; SEQUENTIAL",
        "hbase; RANDOM",
        "unknown; SEQUENTIAL",
        "default; SEQUENTIAL",
        "''; SEQUENTIAL"
      })
  void theFirstPolicyThatIsKnownCounts(String policies, ReadPattern expected) {
    Configuration options = with(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, policies);
    assertEquals(expected, of(options, with("fs.weft.read.policy", "sequential")).pattern());
  }

  @Test
  void withoutOptionsTheConfigurationCounts() {
    Configuration none = new Configuration(false);
    assertEquals(ReadOptions.defaults(), of(none, none));
    assertTrue(of(none, with("fs.weft.read.verify-parity", "true")).verifyParity());
    assertFalse(
        of(with(ReadPolicies.VERIFY_PARITY, "false"), with("fs.weft.read.verify-parity", "true"))
            .verifyParity());
  }

  @Test
  void theEndOfASplitIsWhereReadingAheadEnds() {
    Configuration options = with(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, "4096");
    assertEquals(4096, of(options, new Configuration(false)).likelyEndBytes());
  }

  @Test
  void hedgedReadsCanBeTurnedOff() {
    assertTrue(Settings.of(new Configuration(false)).hedges().enabled());
    assertFalse(Settings.of(with("fs.weft.read.hedged", "false")).hedges().enabled());
    assertEquals(
        3_000, Settings.of(with("fs.weft.read.hedged.least", "3s")).hedges().leastMillis());
  }
}
