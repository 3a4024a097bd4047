package org.weft.sysmgr.rest;

import org.weft.protocol.error.WeftException;

/** Failures as REST shows them: a status of HTTP, and {@code {"code": ..., "message": ...}}. */
final class RestErrors {
  /** The body. */
  record Failure(String code, String message) {}

  private RestErrors() {}

  static RestReply reply(WeftException failure) {
    int status =
        switch (failure.code()) {
          case INVALID_ARGUMENT, MALFORMED, NAME_INVALID -> 400;
          case PERMISSION_DENIED, UNAUTHENTICATED -> 403;
          case NOT_FOUND -> 404;
          case UNSUPPORTED -> 405;
          case EXISTS, BUSY, WRONG_CLUSTER -> 409;
          case NOT_LEADER, UNAVAILABLE, NOT_SERVING, OVERLOADED -> 503;
          case DEADLINE_EXCEEDED -> 504;
          default -> 500;
        };
    return RestReply.json(status, new Failure(failure.code().name(), failure.getMessage()));
  }
}
