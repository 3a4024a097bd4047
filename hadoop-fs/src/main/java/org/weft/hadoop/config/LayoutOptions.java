package org.weft.hadoop.config;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.weft.client.LayoutSpec;

/**
 * How a file is to be cut, as options of {@code createFile}: {@code fs.option.weft.data-units},
 * {@code fs.option.weft.parity-units} and {@code fs.option.weft.unit}; or as keys for all files.
 */
public final class LayoutOptions {
  public static final String DATA_UNITS = "fs.option.weft.data-units";
  public static final String PARITY_UNITS = "fs.option.weft.parity-units";
  public static final String UNIT = "fs.option.weft.unit";

  private LayoutOptions() {}

  /** The options that a builder knows. */
  public static Set<String> keys() {
    return new TreeSet<>(Set.of(DATA_UNITS, PARITY_UNITS, UNIT));
  }

  /** What the keys for all files say; empty if they say nothing. */
  static Optional<LayoutSpec> ofKeys(Configuration conf) {
    return wish(
        conf,
        ConnectorKey.DATA_UNITS.key(),
        ConnectorKey.PARITY_UNITS.key(),
        ConnectorKey.UNIT_BYTES.key());
  }

  /** What a builder's options say; empty if they say nothing. */
  public static Optional<LayoutSpec> ofBuilder(Configuration options) {
    return wish(options, DATA_UNITS, PARITY_UNITS, UNIT);
  }

  private static Optional<LayoutSpec> wish(
      Configuration conf, String dataKey, String parityKey, String unitKey) {
    int dataUnits = number(conf, dataKey);
    int parityUnits = number(conf, parityKey);
    long unitBytes = Settings.parseBytes(conf.getTrimmed(unitKey, "0"));
    if (parityUnits > 0 && dataUnits == 0) {
      throw new IllegalArgumentException(parityKey + " needs " + dataKey + " beside it");
    }
    if (unitBytes < 0 || unitBytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(unitKey + " is out of range: " + unitBytes);
    }
    return dataUnits == 0 && unitBytes == 0
        ? Optional.empty()
        : Optional.of(LayoutSpec.of(dataUnits, parityUnits, (int) unitBytes));
  }

  private static int number(Configuration conf, String key) {
    int value = conf.getInt(key, 0);
    if (value < 0) {
      throw new IllegalArgumentException(key + " must not be negative, got " + value);
    }
    return value;
  }
}
