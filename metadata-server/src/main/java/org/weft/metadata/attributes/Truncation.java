package org.weft.metadata.attributes;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * How often a file was cut, and the length that a cut under way still has to establish (P 4.3).
 *
 * @param number grows by one with each truncation
 */
public record Truncation(int number, OptionalLong trimBytes) {
  /** The state of a file that was never truncated. */
  public static final Truncation NONE = new Truncation(0, OptionalLong.empty());

  public Truncation {
    Objects.requireNonNull(trimBytes, "trimBytes");
  }
}
