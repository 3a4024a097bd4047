package org.weft.nfs.oncrpc;

import java.io.IOException;

/** A call that brought no result; the message says why. */
public final class RpcFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RpcFailedException(String message) {
    super(message);
  }

  RpcFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
