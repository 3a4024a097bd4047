package org.weft.sysmgr.replication.ratis;

import java.io.IOException;

/** A request that was refused before it reached the log. */
final class RefusedRequestException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedRequestException(String message, Throwable cause) {
    super(message, cause);
  }
}
