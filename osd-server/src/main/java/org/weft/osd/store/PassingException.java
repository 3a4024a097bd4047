package org.weft.osd.store;

import java.io.IOException;

/**
 * Reading failed for want of something that the process or the machine lacks now, like file
 * descriptors or memory. Or the store was closed meanwhile. It says nothing of what is stored: the
 * same read may succeed later.
 */
public final class PassingException extends IOException {
  private static final long serialVersionUID = 1L;

  public PassingException(String message, Throwable cause) {
    super(message, cause);
  }
}
