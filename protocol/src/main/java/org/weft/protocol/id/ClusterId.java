package org.weft.protocol.id;

import java.util.regex.Pattern;

/** The id of a cluster: 32 lower-case hexadecimal digits, drawn when SysMgr formats its storage. */
public record ClusterId(String value) {
  private static final Pattern FORM = Pattern.compile("[0-9a-f]{32}");

  public ClusterId {
    if (!FORM.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "cluster id must be 32 lower-case hexadecimal digits, got '" + value + "'");
    }
  }

  @Override
  public String toString() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterId that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }
}
