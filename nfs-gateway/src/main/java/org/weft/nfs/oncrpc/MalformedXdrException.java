package org.weft.nfs.oncrpc;

import java.io.IOException;

/** Bytes that are not what the protocol says should stand there; the message tells which. */
public final class MalformedXdrException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedXdrException(String message) {
    super(message);
  }
}
