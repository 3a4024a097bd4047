package org.weft.cli.config;

/** A setting that cannot be used; the message names the key, the value and what would do. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }
}
