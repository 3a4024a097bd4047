package org.weft.nfs.oncrpc;

import java.io.IOException;

/** The bytes do not follow the protocol; the message says where. */
public final class MalformedXdrException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedXdrException(String message) {
    super(message);
  }
}
