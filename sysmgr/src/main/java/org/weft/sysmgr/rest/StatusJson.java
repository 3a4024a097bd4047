package org.weft.sysmgr.rest;

import org.weft.protocol.wire.ClusterStatus;

/** The cluster's status as {@code GET /api/v1/status} shows it, for clients that ask by RPC. */
public final class StatusJson {
  private StatusJson() {}

  /** JSON in UTF-8; holds no key and no token. */
  public static byte[] of(ClusterStatus status) {
    return JsonBytes.bytes(Views.Status.of(status));
  }
}
