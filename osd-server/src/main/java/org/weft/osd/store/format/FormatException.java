package org.weft.osd.store.format;

import java.io.IOException;

/** A stored value is not what it should be. */
public final class FormatException extends IOException {
  private static final long serialVersionUID = 1L;

  public FormatException(String message) {
    super(message);
  }

  public FormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
