package org.weft.sysmgr;

import java.io.IOException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.sysmgr.rest.RestRoutes;

/** A member of SysMgr, started. */
public final class SysmgrDaemon implements AutoCloseable {
  private SysmgrDaemon() {}

  /**
   * Formats the data directory if it is new, and starts. Returns when the member listens; a single member
   * also leads by then, so that {@link #clusterId} and {@link #joinToken} are known.
   */
  public static SysmgrDaemon start(SysmgrOptions options, Environment environment)
      throws IOException {
    throw new IOException("SysMgr is not put together yet; use FakeSysmgr of the testkit");
  }

  /** The cluster's id; an {@link IllegalStateException} while no majority has made one. */
  public ClusterId clusterId() {
    throw new IllegalStateException("no cluster yet");
  }

  /** The join token: the bytes of the text in DATA/join-token. */
  public byte[] joinToken() {
    throw new IllegalStateException("no cluster yet");
  }

  /** Where requests are heard, with the real port. */
  public Endpoint address() {
    throw new IllegalStateException("not started");
  }

  /** Where REST and the status page are, with the real port. */
  public Endpoint restAddress() {
    throw new IllegalStateException("not started");
  }

  /** Answers these paths too from now on; they come before the daemon's own. */
  public void addRoutes(RestRoutes routes) {
    throw new IllegalStateException("not started");
  }

  /** Stops cleanly: no requests, no REST, then the log. */
  @Override
  public void close() {}
}
