package org.weft.cli.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeSet;
import org.weft.protocol.rpc.Endpoint;

/**
 * The settings of one daemon: {@code weft.conf} (Java properties, UTF-8) with overrides laid over
 * it. Immutable.
 */
public final class WeftConf {
  private final Map<ConfigKey, String> values;

  private WeftConf(Map<ConfigKey, String> values) {
    this.values = values;
  }

  /** Only defaults. */
  public static WeftConf defaults() {
    return new WeftConf(new EnumMap<>(ConfigKey.class));
  }

  /** Reads a file; a key that does not exist is refused, naming the nearest. */
  public static WeftConf load(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    WeftConf conf = defaults();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      conf = conf.with(keyOf(name, file.toString()), properties.getProperty(name));
    }
    return conf;
  }

  /** These settings with one changed. */
  public WeftConf with(ConfigKey key, String value) {
    Map<ConfigKey, String> changed = new EnumMap<>(ConfigKey.class);
    changed.putAll(values);
    changed.put(key, value.trim());
    return new WeftConf(changed);
  }

  /** These settings with {@code key=value} from the command line. */
  public WeftConf withAssignment(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals <= 0) {
      throw new ConfigException("expected KEY=VALUE, got '" + assignment + "'");
    }
    ConfigKey key = keyOf(assignment.substring(0, equals).trim(), "--set");
    return with(key, assignment.substring(equals + 1));
  }

  private static ConfigKey keyOf(String name, String where) {
    return ConfigKey.named(name)
        .orElseThrow(
            () ->
                new ConfigException(
                    where + ": there is no setting '" + name + "'; " + nextStep(name)));
  }

  private static String nextStep(String name) {
    List<String> nearest = ConfigKey.nearest(name);
    return nearest.isEmpty()
        ? "`weft config reference` lists all settings"
        : "did you mean '" + String.join("' or '", nearest) + "'?";
  }

  public String text(ConfigKey key) {
    return values.getOrDefault(key, key.defaultValue());
  }

  /** The value, or empty where none was given and there is no default. */
  public Optional<String> optional(ConfigKey key) {
    return Optional.of(text(key)).filter(value -> !value.isEmpty());
  }

  /** A value that must be there. */
  public String required(ConfigKey key) {
    return optional(key)
        .orElseThrow(
            () -> new ConfigException("set " + key.key() + " in weft.conf: " + key.description()));
  }

  public Path path(ConfigKey key) {
    return Path.of(required(key)).toAbsolutePath().normalize();
  }

  public boolean flag(ConfigKey key) {
    return switch (text(key)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new ConfigException(key.key() + " must be true or false, got '" + text(key) + "'");
    };
  }

  /** A whole number of at least {@code least}. */
  public int number(ConfigKey key, int least) {
    try {
      int value = Integer.parseInt(text(key));
      if (value >= least) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw notANumber(key, least);
    }
    throw notANumber(key, least);
  }

  private ConfigException notANumber(ConfigKey key, int least) {
    return new ConfigException(
        key.key() + " must be a whole number of at least " + least + ", got '" + text(key) + "'");
  }

  public OptionalLong bytes(ConfigKey key) {
    Optional<String> text = optional(key);
    return text.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(ByteSize.parse(key.key(), text.get()));
  }

  /** A time in milliseconds; empty for {@code off}. */
  public OptionalLong millis(ConfigKey key) {
    return Duration.parseMillis(key.key(), text(key));
  }

  public Endpoint endpoint(ConfigKey key) {
    return endpoint(key, required(key));
  }

  public List<Endpoint> endpoints(ConfigKey key) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (String part : required(key).split(",", -1)) {
      endpoints.add(endpoint(key, part.trim()));
    }
    return List.copyOf(endpoints);
  }

  private static Endpoint endpoint(ConfigKey key, String text) {
    try {
      return Endpoint.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(key.key() + ": " + e.getMessage());
    }
  }

  /** The settings as the text of a {@code weft.conf}. */
  public String toText() {
    StringBuilder text = new StringBuilder();
    values.forEach(
        (key, value) ->
            text.append(key.key()).append('=').append(value.replace("\\", "\\\\")).append('\n'));
    return text.toString();
  }
}
